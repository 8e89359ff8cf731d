package dev.headrace.cluster.node;

import dev.headrace.api.NodeSettings;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One simulated life of a cluster: five nodes found it, write, read and stream while connections
 * break and nodes crash, at most as many as a segment can lose; then everything comes to rest and
 * is compared.
 */
final class SimulatedRun {
  static final int SEGMENTS = 16;
  private static final int NODES = 5;
  private static final int STABLE_KEYS = 120;
  private static final int BUSY_KEYS = 25;
  private static final int OPERATIONS = 80;
  private static final int STREAMS = 4;
  private static final int SEGMENT_BYTES = 1 << 20;

  private final SimulatedCluster cluster;
  private final SimulatedTime time;
  private final Random random;
  private final SimulatedWorkload workload;
  private final List<SimulatedStream> streams = new ArrayList<>();
  private final Set<String> stable = new LinkedHashSet<>();
  private final int owners;

  SimulatedRun(long seed) {
    cluster = new SimulatedCluster(seed);
    time = cluster.time;
    random = time.random;
    workload = new SimulatedWorkload(cluster);
    owners = 2 + random.nextInt(2);
  }

  void run() {
    found();
    load();
    disturb();
    rest();
    compareReplicas();
    readEverything();
    for (SimulatedNode node : cluster.living()) {
      cluster.check(node.batchesInUse == 0, node.batchesInUse + " batches were not released");
    }
  }

  private void found() {
    for (int i = 0; i < NODES; i++) {
      cluster.start(settings("node-" + i, 1));
      if (random.nextBoolean()) {
        time.runUntil(() -> false, random.nextInt(40));
      }
    }
    require(
        time.runUntil(() -> cluster.living().stream().allMatch(this::seesAll), 20_000),
        "the nodes did not find each other");
  }

  private boolean seesAll(SimulatedNode node) {
    return node.engine.joined().isDone() && node.engine.status().members().size() == NODES;
  }

  private NodeSettings settings(String name, double capacity) {
    return NodeSettings.builder()
        .nodeName(name)
        .segments(SEGMENTS)
        .owners(owners)
        .capacity(capacity)
        .build();
  }

  private void load() {
    for (int i = 0; i < STABLE_KEYS; i++) {
      stable.add("stable-" + i);
      workload.putStable(any(), "stable-" + i);
    }
    require(time.runUntil(() -> workload.outstanding == 0, 60_000), "loading did not end");
    require(workload.unknown == 0, "loading an undisturbed cluster had unknown outcomes");
  }

  private void disturb() {
    for (int i = 0; i < OPERATIONS; i++) {
      time.schedule(
          time.delayNanos(0, 1_500_000),
          () -> workload.operate(any(), "busy-" + random.nextInt(BUSY_KEYS)));
    }
    for (int i = 0; i < STREAMS; i++) {
      time.schedule(
          time.delayNanos(0, 1_000_000),
          () -> streams.add(new SimulatedStream(cluster, workload, any(), stable)));
    }
    int crashes = random.nextInt(owners);
    for (int i = 0; i < crashes; i++) {
      time.schedule(time.delayNanos(0, 1_500_000), () -> cluster.crash(any()));
    }
    for (int i = 0; i < random.nextInt(5); i++) {
      time.schedule(time.delayNanos(0, 1_500_000), this::cutAnyConnection);
    }
    if (random.nextInt(3) == 0) {
      time.schedule(time.delayNanos(0, 1_500_000), () -> cluster.start(settings("client", 0)));
    }
    time.runUntil(() -> false, 1_600);
  }

  private void cutAnyConnection() {
    SimulatedNode one = any();
    SimulatedNode other = any();
    if (one != other) {
      cluster.cutConnection(one, other);
    }
  }

  private SimulatedNode any() {
    List<SimulatedNode> ready =
        cluster.living().stream().filter(node -> node.engine.joined().isDone()).toList();
    return ready.get(random.nextInt(ready.size()));
  }

  private void rest() {
    require(
        time.runUntil(
            () -> workload.outstanding == 0 && streams.stream().allMatch(SimulatedStream::ended),
            120_000),
        workload.outstanding + " operations and some streams did not end");
    require(streams.size() == STREAMS, "a stream was not started");
    time.runUntil(() -> false, 5_000);
  }

  private void compareReplicas() {
    SegmentTable table = null;
    for (SimulatedNode node : cluster.living()) {
      SegmentTable its = node.engine.table();
      cluster.check(
          table == null || its.equals(table), "the nodes ended with different segment tables");
      table = its;
    }
    if (table == null) {
      throw new AssertionError("no node is left");
    }
    for (int segment = 0; segment < SEGMENTS; segment++) {
      int number = segment;
      cluster.check(table.ownerCount(segment) > 0, () -> "segment " + number + " was lost");
      ByteBuffer first = null;
      for (int i = 0; i < table.ownerCount(segment); i++) {
        ByteBuffer replica = content(table.owner(segment, i), segment, table);
        cluster.check(
            first == null || replica.equals(first),
            () -> "the owners of segment " + number + " differ");
        first = replica;
      }
    }
  }

  /** A replica's entries with their versions, as bytes. */
  private ByteBuffer content(NodeId owner, int segment, SegmentTable table) {
    SimulatedNode node = cluster.nodes.get(owner);
    int[] incarnations = {table.incarnation(segment)};
    ReadRequest request =
        new ReadRequest(
            SimulatedWorkload.CACHE.name(),
            0,
            table.epoch(),
            new int[] {segment},
            incarnations,
            Cursor.START,
            Integer.MAX_VALUE,
            SEGMENT_BYTES,
            false,
            Projection.ENTRIES,
            null);
    Content content = new Content();
    node.serve(node, request, content);
    if (content.bytes == null || content.status != SegmentPart.Status.DONE) {
      throw new AssertionError("owner " + owner + " cannot read segment " + segment);
    }
    return content.bytes;
  }

  private void readEverything() {
    for (String key : List.copyOf(workload.keys())) {
      for (SimulatedNode node : cluster.living()) {
        workload.get(node, key);
      }
    }
    require(time.runUntil(() -> workload.outstanding == 0, 60_000), "the last reads did not end");
  }

  private void require(boolean condition, String message) {
    cluster.check(condition, message);
  }

  private static final class Content implements ReadHandler {
    private @Nullable ByteBuffer bytes;
    private SegmentPart.@Nullable Status status;

    @Override
    public void received(Batch batch) {
      ByteBuffer copy = ByteBuffer.allocate(batch.entries().remaining());
      bytes = copy.put(batch.entries()).flip();
      status = batch.parts().get(0).status();
      batch.release();
    }

    @Override
    public void failed(Throwable cause) {
      throw new AssertionError(cause);
    }
  }
}
