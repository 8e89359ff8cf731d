package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Leases as a coordinator gives them: a node sends a sign of life, gets it back with the epoch in
 * force if it is a member, and has a lease from the time at which it sent the sign, if it knows
 * that epoch.
 */
final class SimulatedLeases {
  static final long LEASE_NANOS = 100_000_000L;
  private static final long MAX_DELAY_NANOS = 10_000_000L;

  private final SplittableRandom random;
  private final SimulatedNetwork network;
  private final Map<NodeId, Long> untilNanos = new HashMap<>();

  SimulatedLeases(SplittableRandom random, SimulatedNetwork network) {
    this.random = random;
    this.network = network;
  }

  boolean has(NodeId id) {
    return network.nowNanos() < untilNanos.getOrDefault(id, 0L);
  }

  /**
   * A node sends a sign of life.
   *
   * @param inForce the table in force when it arrives, null if the node cannot be reached
   */
  void renew(LaneNode node, Supplier<@Nullable SegmentTable> inForce) {
    long sentNanos = network.nowNanos();
    network.after(
        random.nextLong(MAX_DELAY_NANOS),
        () -> {
          SegmentTable table = inForce.get();
          if (table != null && table.member(node.id) != null) {
            long epoch = table.epoch();
            network.after(random.nextLong(MAX_DELAY_NANOS), () -> extend(node, epoch, sentNanos));
          }
        });
  }

  private void extend(LaneNode node, long epoch, long sentNanos) {
    SegmentTable known = node.exchange.lanes().table();
    long pausedNanos = network.pausedNanos(node.id);
    if (pausedNanos > 0) {
      network.after(
          pausedNanos + random.nextLong(MAX_DELAY_NANOS), () -> extend(node, epoch, sentNanos));
    } else if (known != null && known.epoch() >= epoch) {
      untilNanos.merge(node.id, sentNanos + LEASE_NANOS, Math::max);
    }
  }
}
