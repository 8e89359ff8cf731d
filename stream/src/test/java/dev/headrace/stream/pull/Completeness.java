package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

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
    List<String> keys = all.received.stream().map(Map.Entry::getKey).toList();
    assertThat(keys).doesNotHaveDuplicates();
    assertThat(keys).containsExactlyInAnyOrderElementsOf(cluster.content.keySet());
    all.received.forEach(e -> assertThat(e.getValue()).isEqualTo(cluster.content.get(e.getKey())));
    assertThat(cluster.buffersOut).isZero();
  }
}
