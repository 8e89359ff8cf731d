package dev.headrace.cluster.node.simulation;

import dev.headrace.replication.lane.LaneLoad;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.ResultMemory;

/**
 * The bounds of what nodes keep in memory for a segment. Some clusters have narrow ones, which are
 * reached; all are held to theirs.
 */
public final class LaneBounds {
  /** Mutations that one narrow lane keeps at most. */
  public static final int OUTBOX_ENTRIES = 6;

  /** About how many bytes these have; a single mutation may be beyond. */
  public static final long OUTBOX_BYTES = 12_000;

  /** Operations that wait in one narrow lane at most. */
  public static final int WAITING = 3;

  /** About how many bytes a learner reads at a time in a narrow lane; some entries are larger. */
  public static final int RANGE_BYTES = 1_000;

  /** A mutation of the largest value, with its key and its result. */
  private static final long MUTATION_BYTES = 25_000;

  private LaneBounds() {}

  /** Looks at all nodes. */
  static void check(World world) {
    for (SimulatedNode node : world.living()) {
      LaneLoad load = node.engine.load();
      LaneSettings usual = LaneSettings.of(node.id, 1);
      int entries = node.isNarrow() ? OUTBOX_ENTRIES : usual.maxOutboxEntries();
      long bytes = node.isNarrow() ? OUTBOX_BYTES : usual.maxOutboxBytes();
      int waiting = node.isNarrow() ? WAITING : usual.maxWaiting();
      // A new primary may have heard of mutations that it lacked, and not yet how far all others
      // have the history, and sends all that to the others. Operations wait for a new primary, or
      // for those that have reserved their key.
      world.check(
          load.mutations() <= 2 * entries
              && load.mutationBytes() <= 2 * bytes + MUTATION_BYTES
              && load.waiting() <= 2 * waiting
              && load.resultBytes() <= ResultMemory.MAX_BYTES,
          () -> world.name(node) + " keeps more than it may: " + load);
      if (node.isNarrow() && load.mutations() >= entries) {
        world.count(Fault.OUTBOX_FULL);
      }
    }
  }
}
