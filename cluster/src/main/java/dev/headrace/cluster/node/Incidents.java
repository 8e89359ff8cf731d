package dev.headrace.cluster.node;

import dev.headrace.rebalance.message.RepairTally;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import org.jspecify.annotations.Nullable;

/** Tells people what happens to segments that should not happen: it goes to the log. */
final class Incidents {
  private static final System.Logger LOG = System.getLogger(Incidents.class.getName());

  private Incidents() {}

  /** A table has come into force, by which segments may have lost all their owners. */
  static void lost(@Nullable SegmentTable before, SegmentTable now, @Nullable TableDelta delta) {
    String description = Losses.describe(before, now, delta);
    if (description != null) {
      warn(description);
    }
  }

  /** None of a segment's owners has all that was acknowledged. */
  static void lost(int segment) {
    warn(
        "All owners of segment "
            + segment
            + " were lost while it changed hands, and with them writes that had been acknowledged;"
            + " it begins anew, empty");
  }

  /** A replica of this node has lost its history. */
  static void damaged(String cache, int segment, String reason) {
    warn("Segment " + segment + " of cache \"" + cache + "\" no longer serves here: " + reason);
  }

  /** Replicas were found to differ, and have been repaired. */
  static void differed(String cache, int segment, RepairTally tally) {
    warn(
        "Backups had segment %d of cache \"%s\" otherwise than their primary, this node: %d ranges differed, %d entries were repaired, %d of which had a higher version"
            .formatted(segment, cache, tally.differences(), tally.repaired(), tally.newer()));
  }

  private static void warn(String text) {
    LOG.log(System.Logger.Level.WARNING, text);
  }
}
