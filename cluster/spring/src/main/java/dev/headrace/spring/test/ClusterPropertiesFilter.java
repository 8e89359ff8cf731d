package dev.headrace.spring.test;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.PropertySource;
import org.springframework.test.context.support.TestPropertySourceUtils;

/**
 * Leaves out those properties of the application that would lead a test's node to the application's
 * cluster, or keep it from serving alone; the test may name them itself. Stateless.
 */
final class ClusterPropertiesFilter implements ConfigurationPropertiesBindHandlerAdvisor {
  private static final List<ConfigurationPropertyName> LEFT_OUT =
      Stream.of(
              "headrace.discovery",
              "headrace.security",
              "headrace.capacity",
              "headrace.min-owners",
              "headrace.zone")
          .map(ConfigurationPropertyName::of)
          .toList();

  /** Where the properties of annotations on the test are, and those of its methods. */
  private static final Set<String> OF_THE_TEST =
      Set.of(
          TestPropertySourceUtils.INLINED_PROPERTIES_PROPERTY_SOURCE_NAME,
          "Dynamic Test Properties");

  @Override
  public BindHandler apply(BindHandler handler) {
    return new AbstractBindHandler(handler) {
      @Override
      public <T> @Nullable Bindable<T> onStart(
          ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
        return isLeftOut(name, context) ? null : super.onStart(name, target, context);
      }
    };
  }

  private static boolean isLeftOut(ConfigurationPropertyName name, BindContext context) {
    return LEFT_OUT.stream().anyMatch(each -> each.equals(name) || each.isAncestorOf(name))
        && StreamSupport.stream(context.getSources().spliterator(), false)
            .noneMatch(source -> isOfTheTest(source) && names(source, name));
  }

  private static boolean isOfTheTest(ConfigurationPropertySource source) {
    return source.getUnderlyingSource() instanceof PropertySource<?> properties
        && OF_THE_TEST.contains(properties.getName());
  }

  private static boolean names(ConfigurationPropertySource source, ConfigurationPropertyName name) {
    return source.getConfigurationProperty(name) != null
        || source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT;
  }
}
