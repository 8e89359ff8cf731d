package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.SplitPolicy;
import dev.headrace.cluster.node.HeadraceNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of the key-value course when a node is lost, and when it comes back. */
final class LostReplicaTest {
  private static final int KEYS = 24;
  private static final String ONE = "&ack=1&from=2";
  private static final String BOTH = "&ack=2&from=2";
  private static final byte[] OLD = "before".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NEW = "after".getBytes(StandardCharsets.UTF_8);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

  private static String entity(String id) {
    return "/v0/entity?id=" + id;
  }

  private static void await(String what, BooleanSupplier condition) {
    long beganNanos = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - beganNanos).as(what).isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Until a node knows so many members, each segment has two owners, and it has all of its own. */
  private static void awaitReplicas(HeadraceNode node, int members) {
    await(
        "the replicas of %d nodes".formatted(members),
        () -> {
          ClusterStatus status = node.status();
          int share = 2 * status.segments() / members;
          return status.members().size() == members
              && status.effectiveOwners() == 2
              && status.missingReplicas() == 0
              && node.view().ownedSegments().size() >= share
              && status.members().stream()
                  .allMatch(member -> !member.self() || member.outOfSyncReplicas() == 0);
        });
  }

  /** Entities of many segments, which all nodes know alike. */
  private static void fill(HttpCluster cluster) throws IOException {
    for (int i = 0; i < KEYS; i++) {
      for (String kind : List.of("kept-", "changed-", "deleted-")) {
        assertThat(cluster.put(0, entity(kind + i) + BOTH, OLD).statusCode()).isEqualTo(201);
      }
    }
  }

  /** Loses a node, changes some entities without it, and starts it again. */
  private static void changeWhileAway(HttpCluster cluster, int nodes, SplitPolicy policy)
      throws IOException {
    cluster.kill(1);
    await("one less", () -> cluster.node(0).status().members().size() == nodes - 1);
    for (int i = 0; i < KEYS; i++) {
      assertThat(cluster.put(0, entity("changed-" + i) + ONE, NEW).statusCode()).isEqualTo(201);
      assertThat(cluster.delete(0, entity("deleted-" + i) + ONE).statusCode()).isEqualTo(202);
    }
    cluster.start(
        settings -> settings.splitPolicy(policy).nodeName("node-1"), HttpSettings.builder());
    awaitReplicas(cluster.node(nodes), nodes);
  }

  private static void assertNewest(HttpCluster cluster, int node, String replicas)
      throws IOException {
    for (int i = 0; i < KEYS; i++) {
      String changed = entity("changed-" + i) + replicas;
      assertThat(cluster.get(node, changed).body()).as("%d %s", node, changed).isEqualTo(NEW);
      String deleted = entity("deleted-" + i) + replicas;
      assertThat(cluster.get(node, deleted).statusCode()).as("%d %s", node, deleted).isEqualTo(404);
      String kept = entity("kept-" + i) + replicas;
      assertThat(cluster.get(node, kept).body()).as("%d %s", node, kept).isEqualTo(OLD);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void aReplicaThatComesBackHasWhatItHasMissed(int nodes) throws IOException {
    try (HttpCluster cluster = HttpCluster.of(nodes)) {
      awaitReplicas(cluster.node(1), nodes);
      fill(cluster);
      changeWhileAway(cluster, nodes, SplitPolicy.DENY);
      List<Integer> living =
          IntStream.rangeClosed(0, nodes).filter(node -> node != 1).boxed().toList();
      for (int node : living) {
        assertNewest(cluster, node, ONE);
        assertNewest(cluster, node, BOTH);
      }
    }
  }

  @Test
  void aReplicaThatHasComeBackAnswersAlone() throws IOException {
    // Either of two nodes may go on alone.
    try (HttpCluster cluster =
        HttpCluster.of(2, settings -> settings.splitPolicy(SplitPolicy.ALLOW))) {
      awaitReplicas(cluster.node(1), 2);
      fill(cluster);
      changeWhileAway(cluster, 2, SplitPolicy.ALLOW);
      cluster.kill(0);
      await("alone", () -> cluster.node(2).status().members().size() == 1);
      assertNewest(cluster, 2, ONE);
    }
  }

  @Test
  void oneOfTwoReplicasIsEnoughForOneAndNotForTwo() throws Exception {
    // The first node is the oldest of two: it goes on alone.
    try (HttpCluster cluster = HttpCluster.of(2)) {
      byte[] before = "before".getBytes(StandardCharsets.UTF_8);
      byte[] after = "after".getBytes(StandardCharsets.UTF_8);
      String path = "/v0/entity?id=k";
      assertThat(cluster.put(1, path + "&ack=2&from=2", before).statusCode()).isEqualTo(201);

      cluster.kill(1);

      assertThat(cluster.put(0, path + "&ack=2&from=2", after).statusCode()).isEqualTo(504);
      assertThat(cluster.get(0, path + "&ack=2&from=2").statusCode()).isEqualTo(504);
      assertThat(cluster.delete(0, path + "&ack=2&from=2").statusCode()).isEqualTo(504);
      assertThat(cluster.put(0, path + "&ack=1&from=2", after).statusCode()).isEqualTo(201);
      assertThat(cluster.get(0, path + "&ack=1&from=2").body()).isEqualTo(after);
      assertThat(cluster.delete(0, path + "&ack=1&from=2").statusCode()).isEqualTo(202);
      assertThat(cluster.get(0, path + "&ack=1&from=2").statusCode()).isEqualTo(404);
    }
  }
}
