package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a stream over a whole cluster must come to. */
final class Completeness {
  private Completeness() {}

  /**
   * A stream has ended with all that the cluster holds, each entry once, and gave its buffers back.
   */
  static void assertEverythingOnce(
      SyntheticCluster cluster, Collector<Map.Entry<String, String>> all) {
    assertThat(all.errors).isEmpty();
    assertThat(all.completions).isEqualTo(1);
    assertSameElements(all.received, cluster.content.entrySet());
    assertThat(cluster.buffersOut).isZero();
  }

  /**
   * Each element is there as often as it is expected, in any order. AssertJ has this too, but takes
   * the square of the time.
   */
  static <T> void assertSameElements(
      Collection<? extends T> elements, Collection<? extends T> expected) {
    assertThat(counted(elements)).isEqualTo(counted(expected));
  }

  private static <T> Map<T, Long> counted(Collection<? extends T> elements) {
    return elements.stream()
        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
  }
}
