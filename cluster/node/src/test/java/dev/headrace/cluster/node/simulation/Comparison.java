package dev.headrace.cluster.node.simulation;

import dev.headrace.cluster.node.simulation.oracle.Workload;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What must hold when a cluster has come to rest, whatever has happened to it. */
final class Comparison {
  private static final int SEGMENT_BYTES = 1 << 22;
  private static final long READING_MILLIS = 60_000;

  private final World world;
  private final List<Workload> workloads;

  Comparison(World world, List<Workload> workloads) {
    this.world = world;
    this.workloads = workloads;
  }

  /** Whether all nodes have one table, which lists them all and gives every segment its owners. */
  static boolean agreed(World world) {
    return disagreement(world).isEmpty();
  }

  /** What keeps the nodes from being in agreement, for people. */
  static String disagreement(World world) {
    SegmentTable first = null;
    for (SimulatedNode node : world.living()) {
      SegmentTable table = node.engine.table();
      if (table == null) {
        return world.name(node) + " has not joined";
      }
      if (first != null && table.epoch() != first.epoch()) {
        return world.name(node)
            + " is at epoch "
            + Long.toHexString(table.epoch())
            + ", another at "
            + Long.toHexString(first.epoch());
      }
      first = table;
    }
    if (first == null) {
      return "no node is left";
    }
    if (first.members().size() != world.living().size()) {
      return "the table lists " + first.members().size() + " of " + world.living().size();
    }
    long data = first.members().stream().filter(Member::holdsSegments).count();
    long wanted = Math.min(first.configuredOwners(), data);
    for (int segment = 0; segment < first.segments(); segment++) {
      if (first.ownerCount(segment) != wanted) {
        return "segment " + segment + " has " + first.ownerCount(segment) + " of " + wanted;
      }
    }
    return "";
  }

  /** A node learns of a cache, if it has never had to do with it. */
  static void touch(SimulatedNode node, String cache) {
    ReadHandler nothing =
        new ReadHandler() {
          @Override
          public void received(Batch batch) {
            batch.release();
          }

          @Override
          public void failed(Throwable cause) {
            // It may not serve now, but knows of the cache.
          }
        };
    node.run(() -> node.serve(request(cache, 0, 0, 0), nothing));
  }

  void compare() {
    SegmentTable table = world.newestTable();
    if (table == null) {
      throw new AssertionError("no node is left");
    }
    for (SimulatedNode node : world.living()) {
      SegmentTable its = node.engine.table();
      world.check(
          table.equals(its) && its.stamp() == table.stamp(),
          () -> world.name(node) + " has another table of the same epoch");
      world.check(
          node.batchesInUse == 0,
          () -> node.batchesInUse + " batches were not released on " + world.name(node));
    }
    BitSet lost = new BitSet();
    for (int segment = 0; segment < table.segments(); segment++) {
      lost.set(segment, table.incarnation(segment) > 0);
    }
    workloads.forEach(workload -> workload.lostOnly(lost));
    workloads.forEach(workload -> compareReplicas(workload.cacheName(), table));
    workloads.forEach(this::readEverything);
  }

  private void compareReplicas(String cache, SegmentTable table) {
    for (int segment = 0; segment < table.segments(); segment++) {
      int number = segment;
      ByteBuffer first = null;
      for (int i = 0; i < table.ownerCount(segment); i++) {
        ByteBuffer replica = content(cache, table.owner(segment, i), segment, table);
        world.check(
            first == null || replica.equals(first),
            () -> "the owners of segment " + number + " of " + cache + " differ");
        first = replica;
      }
    }
  }

  /** A replica's entries with their versions, as bytes. */
  private ByteBuffer content(String cache, NodeId owner, int segment, SegmentTable table) {
    SimulatedNode node = world.nodes.get(owner);
    Content content = new Content();
    node.serve(request(cache, segment, table.incarnation(segment), table.epoch()), content);
    if (content.bytes == null || content.status != SegmentPart.Status.DONE) {
      throw new AssertionError(
          world.name(node) + " cannot read its segment " + segment + ": " + content.status);
    }
    return content.bytes;
  }

  private static ReadRequest request(String cache, int segment, int incarnation, long epoch) {
    return new ReadRequest(
        cache,
        0,
        epoch,
        new int[] {segment},
        new int[] {incarnation},
        Cursor.START,
        Integer.MAX_VALUE,
        SEGMENT_BYTES,
        false,
        Projection.REPLICA,
        null);
  }

  private void readEverything(Workload workload) {
    List<SimulatedNode> living = world.living();
    int next = 0;
    for (String key : List.copyOf(workload.keys())) {
      living.forEach(node -> workload.get(node, key));
      workload.settle(living.get(next++ % living.size()), key);
    }
    boolean ended = world.time.runUntil(() -> workload.calls().outstanding() == 0, READING_MILLIS);
    world.throwFailure();
    world.check(ended, "the last reads did not end");
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
