package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.ClusterStatus;
import dev.headrace.cluster.node.NodeFaults;
import dev.headrace.cluster.node.NodeTuning;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whether a node is alive and should get work, as whoever watches it sees it. */
@Timeout(240)
final class HealthRoutesTest {
  private static final String LIVE = "/health/live";
  private static final String READY = "/health/ready";
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

  private static String text(HttpResponse<byte[]> response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  private static void assertNotReady(HttpResponse<byte[]> response) {
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(text(response)).as("not why: everybody may ask").isEqualTo("{\"ready\":false}");
    assertThat(response.headers().firstValue("cache-control")).hasValue("no-store");
  }

  private static void assertReady(HttpResponse<byte[]> response) {
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(text(response)).isEqualTo("{\"ready\":true}");
  }

  /** Until a node is ready, or is not. */
  private static void await(HttpCluster cluster, int node, boolean ready) throws IOException {
    int wanted = ready ? 200 : 503;
    long beganNanos = System.nanoTime();
    HttpResponse<byte[]> response = cluster.get(node, READY);
    while (response.statusCode() != wanted) {
      assertThat(System.nanoTime() - beganNanos)
          .as("until node %d answers %d", node, wanted)
          .isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(1_000_000);
      response = cluster.get(node, READY);
    }
    if (ready) {
      assertReady(response);
    } else {
      assertNotReady(response);
    }
  }

  /** Until the cluster copies segments. */
  private static void awaitMoves(HttpCluster cluster) {
    long beganNanos = System.nanoTime();
    ClusterStatus.Rebalance rebalance = cluster.node(0).status().rebalance();
    while (rebalance == null || !rebalance.running()) {
      assertThat(System.nanoTime() - beganNanos).as("until copies").isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(1_000_000);
      rebalance = cluster.node(0).status().rebalance();
    }
  }

  @Test
  void aNodeIsReadyOnceItsFirstCopiesAreComplete() throws IOException {
    HeldReads reads = new HeldReads();
    try (HttpCluster cluster = new HttpCluster(reads.tuning())) {
      cluster.start(settings -> settings, HttpSettings.builder());
      await(cluster, 0, true);
      Map<String, String> all = new HashMap<>();
      for (int i = 0; i < 2_000; i++) {
        all.put("key-" + i, "value-" + i);
      }
      cluster.node(0).cache("copied", String.class, String.class).putAll(all);

      reads.hold(); // so that nothing is copied
      try {
        cluster.start(settings -> settings, HttpSettings.builder());
        assertNotReady(cluster.get(1, READY));
        awaitMoves(cluster);
        assertNotReady(cluster.get(1, READY));
        assertThat(text(cluster.get(1, LIVE))).isEqualTo("{\"live\":true}");
        assertReady(cluster.get(0, READY)); // or a load balancer would take away all nodes at once
      } finally {
        reads.release();
      }
      await(cluster, 1, true);
    }
  }

  @Test
  void aNodeThatIsCutOffIsNotReadyUntilItIsBack() throws IOException {
    try (HttpCluster cluster = new HttpCluster()) {
      List<NodeFaults> faults = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        NodeFaults own = new NodeFaults();
        faults.add(own);
        cluster.start(
            settings -> settings, HttpSettings.builder(), NodeTuning.defaults().withFaults(own));
      }
      for (int i = 0; i < 3; i++) {
        await(cluster, i, true);
      }
      NodeFaults alone = faults.get(2);
      for (NodeFaults other : faults.subList(0, 2)) {
        alone.cut(other.self());
        other.cut(alone.self());
      }
      await(cluster, 2, false);
      assertThat(cluster.get(2, LIVE).statusCode()).isEqualTo(200);
      await(cluster, 0, true);
      await(cluster, 1, true);

      for (NodeFaults other : faults.subList(0, 2)) {
        alone.heal(other.self());
        other.heal(alone.self());
      }
      await(cluster, 2, true);
    }
  }

  @Test
  void aNodeThatHasEndedIsNeitherAliveNorReady() throws IOException {
    try (HttpCluster cluster = HttpCluster.of(1)) {
      await(cluster, 0, true);
      cluster.node(0).kill();
      HttpResponse<byte[]> live = cluster.get(0, LIVE);
      assertThat(live.statusCode()).isEqualTo(503);
      assertThat(text(live)).isEqualTo("{\"live\":false}");
      assertNotReady(cluster.get(0, READY));
    }
  }
}
