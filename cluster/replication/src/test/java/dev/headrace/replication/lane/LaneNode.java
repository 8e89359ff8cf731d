package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.role.LeaseView;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.ReadStatus;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentReader;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A node's part in the write protocol, with everything around it under a test's control. */
final class LaneNode {
  final NodeId id;
  final Exchange exchange;
  final Upkeep upkeep;
  final List<SegmentTable> notices = new ArrayList<>();
  final Set<Integer> losses = new HashSet<>();
  final Map<Integer, NodeId> keepers = new HashMap<>();
  final List<String> damages = new ArrayList<>();
  int firstWriteRequests;

  /** This node's right to answer; a test may take it away. */
  LeaseView lease = () -> true;

  boolean busy;

  /** Who is told that a segment is lost. */
  Coordinator coordinator = (segment, segmentEpoch) -> {};

  /** Decides on tables. */
  interface Coordinator {
    void lost(int segment, long segmentEpoch);
  }

  LaneNode(LaneSettings settings, int maxEntryBytes, Transport network, LongSupplier timeMillis) {
    this(settings, maxEntryBytes, network, timeMillis, () -> {}, table -> {});
  }

  LaneNode(
      LaneSettings settings,
      int maxEntryBytes,
      Transport network,
      LongSupplier timeMillis,
      Runnable firstWrite,
      Consumer<SegmentTable> adoption) {
    this.id = settings.self();
    this.exchange =
        new Exchange(
            settings,
            space -> new SegmentStore(space, timeMillis, new StoreLimits(maxEntryBytes)),
            network,
            new Told(firstWrite),
            () -> lease.valid(),
            table -> {
              notices.add(table);
              adoption.accept(table);
            });
    this.upkeep = new Upkeep(exchange.lanes());
  }

  /** Remembers what the lanes tell. */
  private final class Told implements Exchange.Events {
    private final Runnable firstWrite;

    Told(Runnable firstWrite) {
      this.firstWrite = firstWrite;
    }

    @Override
    public void requestFirstWrite() {
      firstWriteRequests++;
      firstWrite.run();
    }

    @Override
    public boolean isBusy() {
      return busy;
    }

    @Override
    public void lost(int segment, long segmentEpoch) {
      losses.add(segment);
      coordinator.lost(segment, segmentEpoch);
    }

    @Override
    public void giveBack(int segment, long segmentEpoch, NodeId keeper) {
      keepers.put(segment, keeper);
    }

    @Override
    public void noRoom(NodeId destination, int segment, long bytes) {
      throw new AssertionError("memory is not bounded here");
    }

    @Override
    public void damaged(String cache, int segment, String reason) {
      damages.add("segment " + segment + ": " + reason);
    }
  }

  void receive(NodeId from, Message message) {
    exchange.received(from, message);
  }

  /** Every byte of a replica, versions and expired entries included. */
  byte[] content(String cache, int segment) {
    Replica replica = exchange.lanes().store(cache).replica(segment);
    ByteBuffer out = ByteBuffer.allocate(1 << 20);
    ReadStatus status =
        new SegmentReader()
            .read(replica, Cursor.START, Integer.MAX_VALUE, 1 << 20, Projection.REPLICA, out);
    if (status != ReadStatus.DONE) {
      throw new AssertionError("read of " + replica + " ended with " + status);
    }
    return Arrays.copyOf(out.array(), out.position());
  }
}
