package dev.headrace.spring.test;

import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Gives a test a cluster of its own, unless its properties name one. */
final class HeadraceTestBootstrapper extends TestSliceTestContextBootstrapper<HeadraceTest> {
  private static final String[] ALONE = {
    "headrace.cluster-name=test-${random.uuid}",
    "headrace.bind-address=127.0.0.1",
    "headrace.membership-port=0",
    "headrace.data-port=0",
    "headrace.operation-timeout=1m"
  };

  @Override
  protected String @Nullable [] getProperties(Class<?> testClass) {
    String[] given = super.getProperties(testClass);
    return given == null
        ? ALONE.clone()
        : Stream.concat(Arrays.stream(ALONE), Arrays.stream(given)).toArray(String[]::new);
  }
}
