package dev.headrace.spring;

import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * A node of the application, from the properties {@code headrace.*}: a bean of {@link Headrace},
 * unless the application has one or {@code headrace.enabled} is false. It is in its cluster before
 * the application takes requests, and leaves when the application has stopped to.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "headrace.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HeadraceProperties.class)
public final class HeadraceAutoConfiguration {

  /** The settings of the node; the application may have a bean of its own. */
  @Bean
  @ConditionalOnMissingBean({NodeSettings.class, Headrace.class})
  NodeSettings headraceNodeSettings(
      HeadraceProperties properties, ObjectProvider<NodeSettingsCustomizer> customizers) {
    NodeSettings.Builder settings = PropertySettings.of(properties);
    customizers.orderedStream().forEach(customizer -> customizer.customize(settings));
    return settings.build();
  }

  /** The node. */
  @Bean
  @ConditionalOnMissingBean(Headrace.class)
  NodeFactory headrace(NodeSettings settings) {
    return new NodeFactory(settings);
  }
}
