package dev.headrace.cluster.status;

import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Warns of segments that have lost all their owners; the coordinator does. */
public final class LossWarning implements TableListener {
  private final BooleanSupplier coordinates;
  private @Nullable SegmentTable table; // used by the thread on which tables come

  /**
   * @param coordinates whether this node is the coordinator
   */
  public LossWarning(BooleanSupplier coordinates) {
    this.coordinates = coordinates;
  }

  @Override
  public void onTable(TableDelta delta, SegmentTable newImage) {
    SegmentTable before = table;
    table = newImage;
    String text = coordinates.getAsBoolean() ? describe(before, newImage, delta) : null;
    if (text != null) {
      OperatorWarnings.warn(text);
    }
  }

  /**
   * Describes what was lost between two tables; null if nothing was.
   *
   * @param before null if {@code now} is the first table
   */
  static @Nullable String describe(
      @Nullable SegmentTable before, SegmentTable now, TableDelta delta) {
    boolean mayBe = delta.changesMembers() || delta.loses();
    if (before == null || !mayBe || before.clusterId() != now.clusterId()) {
      return null;
    }
    if (now.members().stream().noneMatch(Member::holdsSegments)) {
      return null; // the last node was closed by its user: no warning is needed
    }
    long lost =
        IntStream.range(0, Math.min(before.segments(), now.segments()))
            .filter(segment -> now.incarnation(segment) > before.incarnation(segment))
            .count();
    return lost == 0
        ? null
        : "%d of %d segments have lost all their owners with epoch %s: their content is lost, and they start empty. With more owners per segment, more nodes may fail at the same time"
            .formatted(lost, now.segments(), Epoch.toString(now.epoch()));
  }
}
