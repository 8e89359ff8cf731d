package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.LaneCache;
import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.role.LaneContext;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One cache on one node: its store, and the lanes of those segments that needed one. Thread-safe.
 */
final class CacheSegments {
  private final LaneCache cache;
  private final LaneContext around;
  private final AtomicReferenceArray<@Nullable Lane> lanes;

  CacheSegments(String name, SegmentStore store, LaneContext around) {
    this.cache = new LaneCache(name, store, around.results().ofCache(), around.changes());
    this.around = around;
    this.lanes = new AtomicReferenceArray<>(store.segments());
  }

  /** The cache as its lanes know it. */
  LaneCache cache() {
    return cache;
  }

  String name() {
    return cache.name();
  }

  SegmentStore store() {
    return cache.store();
  }

  /** The lane of a segment, or null if it has not needed one. */
  @Nullable Lane find(int segment) {
    return lanes.get(segment);
  }

  /** The lanes that there are. */
  List<Lane> lanes() {
    List<Lane> all = new ArrayList<>();
    for (int segment = 0; segment < lanes.length(); segment++) {
      Lane lane = lanes.get(segment);
      if (lane != null) {
        all.add(lane);
      }
    }
    return all;
  }

  /** A caller has received the results below one of its numbers. */
  void received(NodeId caller, long oldestOutstanding) {
    int first = OperationId.share(oldestOutstanding);
    for (int segment = first; segment < lanes.length(); segment += OperationId.SHARES) {
      Lane lane = lanes.get(segment);
      if (lane != null) {
        synchronized (lane) {
          lane.history().received(caller, oldestOutstanding);
        }
      }
    }
  }

  /** Whether whatever the node holds without a lane can be read. */
  boolean isOpen(int segment, LocalReplicas now) {
    Replica replica = store().replica(segment);
    return now.holds(segment)
        && replica != null
        && replica.incarnation() == now.table().incarnation(segment);
  }

  /** See {@link dev.headrace.replication.log.SegmentHistory#forgetStrangers}. */
  void forgetStrangers(SegmentTable table) {
    for (Lane lane : lanes()) {
      synchronized (lane) {
        lane.history().forgetStrangers(table);
      }
    }
  }

  Lane lane(int segment) {
    Lane present = lanes.get(segment);
    if (present != null) {
      return present;
    }
    Lane made = new Lane(cache, segment, around);
    present = lanes.compareAndExchange(segment, null, made);
    return present == null ? made : present;
  }
}
