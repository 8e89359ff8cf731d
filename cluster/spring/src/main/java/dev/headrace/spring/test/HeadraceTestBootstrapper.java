package dev.headrace.spring.test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Gives a test a cluster of its own, unless its properties name one, and leaves out the components
 * of the application. It uses nothing that Boot 4 has moved to another package, so that it serves
 * Boot 3 as well.
 */
final class HeadraceTestBootstrapper extends SpringBootTestContextBootstrapper {
  private static final String[] ALONE = {
    "headrace.cluster-name=test-${random.uuid}",
    "headrace.bind-address=127.0.0.1",
    "headrace.membership-port=0",
    "headrace.data-port=0",
    "headrace.operation-timeout=1m"
  };

  private static @Nullable HeadraceTest annotation(Class<?> testClass) {
    return TestContextAnnotationUtils.findMergedAnnotation(testClass, HeadraceTest.class);
  }

  @Override
  protected String @Nullable [] getProperties(Class<?> testClass) {
    HeadraceTest test = annotation(testClass);
    return test == null
        ? ALONE.clone()
        : Stream.of(ALONE, test.properties()).flatMap(Arrays::stream).toArray(String[]::new);
  }

  @Override
  protected List<ContextCustomizerFactory> getContextCustomizerFactories() {
    List<ContextCustomizerFactory> factories =
        new ArrayList<>(super.getContextCustomizerFactories());
    factories.add(
        (testClass, configuration) -> {
          HeadraceTest test = annotation(testClass);
          return test == null ? null : new SliceCustomizer(test);
        });
    return factories;
  }
}
