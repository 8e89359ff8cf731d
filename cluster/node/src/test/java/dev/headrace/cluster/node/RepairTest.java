package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.RepairReport;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.LaneVisit;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real nodes whose replicas are damaged directly in their stores. */
@Timeout(240)
class RepairTest {
  private static final int ENTRIES = 20_000;
  private static final String CACHE = "quotes";

  @Test
  void whatIsDamagedOnABackupIsRepairedFromThePrimary() throws Exception {
    try (NodeCluster cluster = threeNodes()) {
      Cache<String, String> cache = load(cluster, CACHE);
      load(cluster, "other");
      assertThat(repair(cluster).differences()).as("before any damage").isZero();
      damage(cluster, "key-17", false);
      damage(cluster, "key-4711", true);
      CopyOnWriteArrayList<RepairReport> progress = new CopyOnWriteArrayList<>();
      RepairReport report =
          cluster.node(2).repair(Set.of(CACHE, "other"), progress::add).toCompletableFuture().get();
      assertThat(report.complete()).isTrue();
      assertThat(report.segments()).isEqualTo(256);
      assertThat(report.entries()).isEqualTo(2 * ENTRIES);
      assertThat(report.differences()).isEqualTo(2);
      assertThat(report.repaired()).isEqualTo(2);
      assertThat(report.sentBytes()).isBetween(1L, 2_000L);
      assertThat(progress).isNotEmpty();
      assertThat(repair(cluster).differences()).as("after the repair").isZero();
      assertThat(cache.get("key-17")).isEqualTo("value-17");
      assertEqualReplicas(cluster);
    }
  }

  @Test
  void onlyTheCachesThatAreNamedAreCompared() throws Exception {
    try (NodeCluster cluster = threeNodes()) {
      load(cluster, CACHE);
      load(cluster, "other");
      damage(cluster, "key-17", false);
      assertThat(repair(cluster, "other", "nobody").differences()).isZero();
      assertThat(repair(cluster, "other").entries()).isEqualTo(ENTRIES);
      assertThat(repair(cluster, CACHE).repaired()).isEqualTo(1);
    }
  }

  @Test
  void writesOnTheirWayAreNoDifferences() throws Exception {
    try (NodeCluster cluster = threeNodes()) {
      Cache<String, String> cache = load(cluster, CACHE);
      AtomicBoolean stop = new AtomicBoolean();
      AtomicInteger written = new AtomicInteger();
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; !stop.get(); i++) {
                  cache.put("key-" + i % ENTRIES, "again-" + i);
                  written.incrementAndGet();
                }
              });
      for (int i = 0; i < 5; i++) {
        RepairReport report = repair(cluster);
        assertThat(report.complete()).isTrue();
        assertThat(report.differences()).isZero();
      }
      stop.set(true);
      writer.get();
      assertThat(written.get()).isPositive();
      assertEqualReplicas(cluster);
    }
  }

  @Test
  void segmentsThatMoveMeanwhileAreComparedByTheirNewPrimaries() throws Exception {
    try (NodeCluster cluster = threeNodes()) {
      load(cluster, CACHE);
      CompletableFuture<RepairReport> repair =
          cluster.node(0).repair(Set.of(), progress -> {}).toCompletableFuture();
      cluster.start(settings -> settings);
      assertThat(repair.get().complete()).isTrue();
      assertThat(repair.get().differences()).isZero();
      assertThat(repair(cluster).complete()).isTrue();
    }
  }

  @Test
  void theScheduleFindsDamageByItself() {
    try (NodeCluster cluster =
        NodeCluster.of(3, settings -> settings.repairInterval(Duration.ofSeconds(2)))) {
      load(cluster, CACHE);
      damage(cluster, "key-17", false);
      long deadlineNanos = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      while (isDamaged(cluster, "key-17")) {
        assertThat(System.nanoTime()).as("repaired in time").isLessThan(deadlineNanos);
        LockSupport.parkNanos(1_000_000);
      }
      assertEqualReplicas(cluster);
    }
  }

  @Test
  void anEmptyClusterIsComparedAtOnce() throws Exception {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      RepairReport report = repair(cluster);
      assertThat(report).isEqualTo(new RepairReport(256, 256, 0, 0, 0, 0, 0, 0));
    }
  }

  @Test
  void aClosedNodeRepairsNothing() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      cluster.node(0).close();
      assertThatThrownBy(() -> cluster.node(0).repair()).isInstanceOf(NodeClosedException.class);
    }
  }

  // ---- Helpers

  private static NodeCluster threeNodes() {
    NodeCluster cluster = new NodeCluster();
    for (int i = 0; i < 3; i++) {
      cluster.start(settings -> settings.repairInterval(Duration.ZERO));
    }
    return cluster;
  }

  private static Cache<String, String> load(NodeCluster cluster, String name) {
    Cache<String, String> cache = cluster.node(0).cache(name, String.class, String.class);
    Map<String, String> entries = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      entries.put("key-" + i, "value-" + i);
    }
    cache.putAll(entries);
    return cache;
  }

  private static RepairReport repair(NodeCluster cluster, String... caches) throws Exception {
    return cluster.node(0).repair(Set.of(caches), progress -> {}).toCompletableFuture().get();
  }

  private static HeadraceNode owner(NodeCluster cluster, int segment, int index) {
    SegmentTable table = cluster.node(0).lanes().table();
    NodeId owner = table.owner(segment, index);
    for (int i = 0; i < 3; i++) {
      if (cluster.node(i).settings().nodeName().equals(table.member(owner).name())) {
        return cluster.node(i);
      }
    }
    throw new AssertionError("no node " + owner);
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  private static HashSpace space(NodeCluster cluster) {
    return cluster.node(0).lanes().store(CACHE).space();
  }

  /** Removes an entry from a backup, or changes it, and nobody knows. */
  private static void damage(NodeCluster cluster, String key, boolean change) {
    long hash = space(cluster).hash(bytes(key));
    int segment = space(cluster).segment(hash);
    long position = space(cluster).position(hash);
    AtomicBoolean done = new AtomicBoolean();
    owner(cluster, segment, 1)
        .lanes()
        .visit(
            CACHE,
            segment,
            (LaneVisit lane) -> {
              assertThat(lane.backs()).isTrue();
              done.set(
                  change
                      ? !lane.replica().put(position, bytes(key), bytes("rotten"), 1, 1, 0)
                      : lane.replica().remove(position, bytes(key)));
            });
    assertThat(done).as("the backup had it").isTrue();
  }

  private static boolean isDamaged(NodeCluster cluster, String key) {
    long hash = space(cluster).hash(bytes(key));
    int segment = space(cluster).segment(hash);
    Replica replica = owner(cluster, segment, 1).lanes().store(CACHE).replica(segment);
    return replica == null || !replica.contains(space(cluster).position(hash), bytes(key));
  }

  private static void assertEqualReplicas(NodeCluster cluster) {
    for (int segment = 0; segment < space(cluster).segments(); segment++) {
      assertThat(content(owner(cluster, segment, 1), segment))
          .as("segment %d", segment)
          .isEqualTo(content(owner(cluster, segment, 0), segment));
    }
  }

  private static byte[] content(HeadraceNode node, int segment) {
    ByteBuffer out = ByteBuffer.allocate(1 << 20);
    Replica replica = node.lanes().store(CACHE).replica(segment);
    new SegmentReader()
        .read(replica, Cursor.START, Integer.MAX_VALUE, 1 << 20, Projection.REPLICA, out);
    return Arrays.copyOf(out.array(), out.position());
  }
}
