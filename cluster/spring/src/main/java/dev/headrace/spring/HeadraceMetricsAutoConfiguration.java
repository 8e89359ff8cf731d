package dev.headrace.spring;

import dev.headrace.api.Headrace;
import dev.headrace.micrometer.HeadraceMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The node's figures, which Boot binds to the application's {@link MeterRegistry} if it has one.
 */
@AutoConfiguration(
    after = HeadraceAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      // Boot 3
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnBean({Headrace.class, MeterRegistry.class})
public final class HeadraceMetricsAutoConfiguration {

  /** The figures; closed before the node. */
  @Bean
  @ConditionalOnMissingBean
  HeadraceMetrics headraceMetrics(Headrace node) {
    return new HeadraceMetrics(node);
  }
}
