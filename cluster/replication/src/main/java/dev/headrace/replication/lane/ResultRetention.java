package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.ResultsReceived;
import dev.headrace.stream.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long the lanes of a node keep results for callers: until a caller says that it has received
 * them, or has left the cluster, or is found to be no member twice in a row. A lane learns of a
 * caller that leaves by the next table that it adopts; here those are told that are at rest.
 * Thread-safe.
 */
final class ResultRetention {

  /** How often callers are looked for that are no members, and forgotten if they were none then. */
  static final long STRANGERS_NANOS = 60_000_000_000L;

  private final Caches caches;
  private final LaneDriver driver;

  /** Whether lanes may keep results for callers that have left. */
  private volatile boolean membersChanged;

  /** When callers that are no members were looked for last; null before the first tick. */
  private @Nullable Long strangersNanos; // of the thread that ticks

  ResultRetention(Caches caches, LaneDriver driver) {
    this.caches = caches;
    this.driver = driver;
  }

  /** A caller says which results need not be kept for it any more. */
  void received(NodeId from, ResultsReceived message) {
    for (CacheSegments cache : withResults()) {
      for (long oldest : message.oldestOutstanding()) {
        cache.received(from, oldest);
      }
    }
  }

  /** There is a table with other members. */
  void membersChanged() {
    membersChanged = true;
  }

  /** Time goes on. */
  void tick(long nowNanos, SegmentTable table) {
    if (membersChanged) {
      membersChanged = false;
      for (CacheSegments cache : withResults()) {
        cache.lanes().forEach(lane -> driver.drive(lane, LaneDriver.Event.NEWEST_TABLE));
      }
    }
    Long looked = strangersNanos;
    if (looked == null) {
      strangersNanos = nowNanos;
    } else if (nowNanos - looked >= STRANGERS_NANOS) {
      strangersNanos = nowNanos;
      withResults().forEach(cache -> cache.forgetStrangers(table));
    }
  }

  /** The caches of which any result is kept. */
  private List<CacheSegments> withResults() {
    return caches.all().stream().filter(cache -> cache.cache().results().bytes() > 0).toList();
  }
}
