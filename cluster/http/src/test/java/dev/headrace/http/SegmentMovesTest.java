package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.ClusterStatus;
import dev.headrace.cluster.node.HeadraceNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What nodes tell of segments on their way. */
final class SegmentMovesTest {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

  /** Waits until a node knows of moves, or of none. */
  private static List<ClusterStatus.Move> await(HeadraceNode node, boolean some) {
    long beganNanos = System.nanoTime();
    while (true) {
      ClusterStatus.Rebalance rebalance = node.status().rebalance();
      List<ClusterStatus.Move> moves = rebalance == null ? List.of() : rebalance.moves();
      if (some ? !moves.isEmpty() : rebalance == null || !rebalance.running()) {
        return moves;
      }
      assertThat(System.nanoTime() - beganNanos)
          .as("%s: %s", node.status().members(), rebalance)
          .isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void everyNodeNamesTheSegmentsThatAreBeingCopied() throws IOException {
    HeldReads reads = new HeldReads();
    try (HttpCluster cluster = new HttpCluster(reads.tuning())) {
      cluster.start(settings -> settings, HttpSettings.builder());
      cluster.start(settings -> settings, HttpSettings.builder());
      Map<String, String> all = new TreeMap<>();
      for (int i = 0; i < 5_000; i++) {
        all.put("key-" + i, "value");
      }
      cluster.node(0).cache("moving", String.class, String.class).putAll(all);
      await(cluster.node(0), false);
      reads.hold(); // nobody can copy anything

      cluster.start(settings -> settings, HttpSettings.builder());
      for (int node = 0; node < 3; node++) {
        for (ClusterStatus.Move move : await(cluster.node(node), true)) {
          assertThat(move.segment()).isBetween(0, 255);
          assertThat(move.source()).as("%s", move).isIn("node-0", "node-1");
          assertThat(move.destinations()).as("%s", move).containsExactly("node-2");
        }
        String json = new String(cluster.get(node, "/v1/cluster").body(), StandardCharsets.UTF_8);
        assertThat(json)
            .containsPattern(
                "\"moves\":\\[\\{\"segment\":\\d+,\"source\":\"node-[01]\",\"destinations\":\\[\"node-2\"\\],\"copied\":(true|false)}");
      }

      reads.release();
      for (int node = 0; node < 3; node++) {
        assertThat(await(cluster.node(node), false)).isEmpty();
      }
      assertThat(cluster.get(1, "/v1/cluster").body()).asString().contains("\"moves\":[]");
    }
  }
}
