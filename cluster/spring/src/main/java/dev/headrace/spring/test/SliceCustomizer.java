package dev.headrace.spring.test;

import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.TypeFilterUtils;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.type.filter.TypeFilter;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Tells the context of a test which components of the application it has, and which properties
 * count. Equal for tests that say the same of them, which may share a context.
 *
 * @param test the annotation of the test
 */
record SliceCustomizer(HeadraceTest test) implements ContextCustomizer {

  @Override
  public void customizeContext(
      ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
    ConfigurableListableBeanFactory beans = context.getBeanFactory();
    beans.registerSingleton(
        HeadraceTestFilter.class.getName(),
        new HeadraceTestFilter(
            test.useDefaultFilters(),
            filters(test.includeFilters(), context),
            filters(test.excludeFilters(), context)));
    beans.registerSingleton(ClusterPropertiesFilter.class.getName(), new ClusterPropertiesFilter());
  }

  private static List<TypeFilter> filters(
      Filter[] filters, ConfigurableApplicationContext context) {
    BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context.getBeanFactory();
    return Arrays.stream(filters)
        .map(filter -> AnnotationUtils.getAnnotationAttributes(filter, false, true))
        .map(
            (AnnotationAttributes filter) ->
                TypeFilterUtils.createTypeFiltersFor(
                    filter, context.getEnvironment(), context, registry))
        .flatMap(List::stream)
        .toList();
  }
}
