package dev.headrace.replication.client;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.stream.NodeId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long a read waits for a node before it asks another owner, too (hedged requests: Dean,
 * Barroso 2013). The wait is kept by node: it grows for a node that is slow under load, so that no
 * second owner is asked in vain, and shrinks for one that does not answer. Thread-safe.
 */
final class Hedging implements TableListener {
  /** Several times what an answer takes, and more than a short pause of a collector. */
  static final long MIN_NANOS = 20_000_000L;

  static final long MAX_NANOS = 250_000_000L; // no node is waited for longer

  private final Map<NodeId, Long> delays = new ConcurrentHashMap<>();

  /** How long to wait for a node. */
  long delayNanos(NodeId node) {
    return delays.getOrDefault(node, MIN_NANOS);
  }

  /** Another owner has answered first. */
  void useful(NodeId node) {
    delays.computeIfPresent(
        node, (id, nanos) -> nanos / 2 <= MIN_NANOS ? null : Long.valueOf(nanos / 2));
  }

  /** The node has answered first after all. */
  void needless(NodeId node) {
    delays.merge(node, MIN_NANOS * 5 / 4, (nanos, first) -> Math.min(MAX_NANOS, nanos + nanos / 4));
  }

  /** Forgets nodes that have left. */
  @Override
  public void onTable(TableDelta delta, SegmentTable table) {
    delays.keySet().removeIf(node -> table.member(node) == null);
  }
}
