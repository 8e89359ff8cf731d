package dev.headrace.cluster.node;

import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Tells people that segments have lost all their owners. */
final class Losses {
  private Losses() {}

  /**
   * What was lost between two tables, or null if nothing was.
   *
   * @param before null if the second table is the first one
   * @param delta between them, or null if it is not known
   */
  static @Nullable String describe(
      @Nullable SegmentTable before, SegmentTable now, @Nullable TableDelta delta) {
    boolean mayBe = delta == null || delta.changesMembers() || delta.loses();
    if (before == null || !mayBe || before.clusterId() != now.clusterId()) {
      return null;
    }
    if (now.members().stream().noneMatch(Member::holdsSegments)) {
      return null; // the last one that closes takes everything with it, as it was asked to
    }
    long lost =
        IntStream.range(0, Math.min(before.segments(), now.segments()))
            .filter(segment -> now.incarnation(segment) > before.incarnation(segment))
            .count();
    return lost == 0
        ? null
        : "%d of %d segments have lost all their owners with epoch %s: what they held is gone, and they begin anew and empty. More owners per segment survive more nodes that fail together"
            .formatted(lost, now.segments(), Epoch.toString(now.epoch()));
  }
}
