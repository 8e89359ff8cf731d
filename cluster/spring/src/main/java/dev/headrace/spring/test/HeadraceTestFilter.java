package dev.headrace.spring.test;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out the components of the application, as {@link HeadraceTest} says. */
final class HeadraceTestFilter
    extends StandardAnnotationCustomizableTypeExcludeFilter<HeadraceTest> {

  HeadraceTestFilter(Class<?> testClass) {
    super(testClass);
  }
}
