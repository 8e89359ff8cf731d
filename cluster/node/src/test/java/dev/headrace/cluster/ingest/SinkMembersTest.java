package dev.headrace.cluster.ingest;

import static dev.headrace.cluster.ingest.SinkCluster.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.cluster.node.NodeCluster;
import io.reactivex.rxjava3.core.Flowable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Loads during which a data node crashes and another one joins. */
final class SinkMembersTest {
  private static final int RECORDS = 40_000;
  private static final int KEYS = 700;

  /** The numbers of the records; on the way a node crashes, and another one starts. */
  private static Flowable<Integer> records(NodeCluster cluster) {
    return Flowable.range(0, RECORDS)
        .doOnNext(
            number -> {
              if (number == RECORDS / 4) {
                cluster.node(1).kill();
              } else if (number == RECORDS / 2) {
                cluster.start(settings -> settings);
              }
            });
  }

  @Test
  void everyKeyHasTheLastValueOfTheSource() throws Exception {
    try (NodeCluster cluster = NodeCluster.of(3)) {
      Cache<String, Integer> cache = cluster.node(0).cache("load", String.class, Integer.class);
      Map<String, Integer> expected = new HashMap<>();
      for (int i = 0; i < RECORDS; i++) {
        expected.put("key-" + i % KEYS, i);
      }

      IngestReport report =
          await(
              cache
                  .sink()
                  .batchBytes(1_000)
                  .memoryBytes(1 << 16)
                  .load(records(cluster).map(i -> Map.entry("key-" + i % KEYS, i))));

      assertThat(report.failedRecords()).isEmpty();
      assertThat(report.written()).isEqualTo(RECORDS);
      assertThat(content(cluster.node(3).cache("load", String.class, Integer.class)))
          .isEqualTo(expected);
    }
  }

  @Test
  void everyAppendedValueIsThereOnce() throws Exception {
    try (NodeCluster cluster = NodeCluster.of(3)) {
      Cache<String, Integer> cache = cluster.node(0).cache("append", String.class, Integer.class);

      IngestReport report =
          await(cache.sink().batchBytes(1_000).memoryBytes(1 << 16).append(records(cluster)));

      assertThat(report.failedRecords()).isEmpty();
      assertThat(report.written()).isEqualTo(RECORDS);
      Map<String, Integer> content =
          content(cluster.node(3).cache("append", String.class, Integer.class));
      List<Integer> values = new ArrayList<>(content.values());
      values.sort(null);
      assertThat(values).isEqualTo(Flowable.range(0, RECORDS).toList().blockingGet());
    }
  }

  private static Map<String, Integer> content(Cache<String, Integer> cache) {
    Map<String, Integer> content = new HashMap<>();
    cache.iterator().forEachRemaining(entry -> content.put(entry.getKey(), entry.getValue()));
    return content;
  }
}
