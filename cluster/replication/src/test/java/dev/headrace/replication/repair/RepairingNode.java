package dev.headrace.replication.repair;

import dev.headrace.api.RepairReport;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.replication.client.OperationClient;
import dev.headrace.replication.lane.CalmHost;
import dev.headrace.replication.lane.LaneVisit;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.lane.Upkeep;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.RepairMessage;
import dev.headrace.replication.message.RepairStats;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.ReadStatus;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentReader;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A node that reads, writes and repairs, without anything else that a node does. */
final class RepairingNode {
  final NodeId id;
  final Lanes lanes;
  final OperationClient caller;
  final Repairs repairs;
  final List<RepairStats> found = new ArrayList<>();
  boolean busy;
  private final Upkeep upkeep;
  private final Transport network;
  private final LongSupplier timeMillis;

  RepairingNode(NodeId id, long intervalMillis, Transport network, LongSupplier timeMillis) {
    this.id = id;
    this.network = network;
    this.timeMillis = timeMillis;
    LaneSettings settings =
        new LaneSettings(id, 1, 4096, 1 << 20, 256, 60 * Peers.MILLIS, 200 * Peers.MILLIS);
    CalmHost host = new CalmHost();
    lanes =
        new Lanes(
            settings,
            MemoryBudget.unlimited(),
            space -> new SegmentStore(space, timeMillis, new StoreLimits(1 << 20)),
            this::send,
            CalmHost.NO_READS,
            host,
            () -> true);
    caller = new OperationClient(id, this::send, host);
    upkeep = new Upkeep(lanes);
    repairs =
        new Repairs(
            new RepairSettings(
                id, intervalMillis, 1L << 30, 4, 100 * Peers.MILLIS, 5_000 * Peers.MILLIS),
            lanes,
            this::send,
            (cache, segment, stats) -> found.add(stats));
  }

  private void send(NodeId to, Message message) {
    if (to.equals(id)) {
      received(id, message);
    } else {
      network.send(to, message);
    }
  }

  void received(NodeId from, Message message) {
    if (message instanceof RepairMessage repair) {
      repairs.received(from, repair);
    } else if (message instanceof OperationReply reply) {
      caller.replied(from, reply);
    } else {
      lanes.receive(from, message);
    }
  }

  void install(SegmentTable table) {
    lanes.onTable(TableDelta.fromNothing(table), table);
    lanes.changeRoles(Integer.MAX_VALUE);
    caller.onTable(TableDelta.fromNothing(table), table);
  }

  void disconnected(NodeId node) {
    lanes.disconnected(node);
    caller.disconnected(node);
  }

  void tick(long nowNanos) {
    lanes.tick(nowNanos);
    caller.tick(nowNanos);
    upkeep.expire(8);
    upkeep.maintain(2);
    repairs.tick(nowNanos, timeMillis.getAsLong(), busy);
  }

  CompletableFuture<RepairReport> order(String... caches) {
    return repairs.order(Set.of(caches), progress -> {}).toCompletableFuture();
  }

  // ---- Its replicas

  /** Does something to a replica behind the protocol's back. */
  void damage(String cache, int segment, Consumer<Replica> damage) {
    boolean[] done = new boolean[1];
    lanes.visit(
        cache,
        segment,
        (LaneVisit lane) -> {
          done[0] = lane.backs();
          if (lane.backs()) {
            damage.accept(lane.replica());
          }
        });
    if (!done[0]) {
      throw new AssertionError(id + " is no whole backup of " + cache + "/" + segment);
    }
  }

  HashSpace space(String cache) {
    return lanes.store(cache).space();
  }

  /** Every byte of a replica, versions and expired entries included. */
  byte[] content(String cache, int segment) {
    Replica replica = lanes.store(cache).replica(segment);
    ByteBuffer out = ByteBuffer.allocate(1 << 22);
    ReadStatus status =
        new SegmentReader()
            .read(replica, Cursor.START, Integer.MAX_VALUE, 1 << 22, Projection.REPLICA, out);
    if (status != ReadStatus.DONE) {
      throw new AssertionError("read of " + replica + " ended with " + status);
    }
    return Arrays.copyOf(out.array(), out.position());
  }
}
