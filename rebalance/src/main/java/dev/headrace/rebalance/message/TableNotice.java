package dev.headrace.rebalance.message;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells a node which table the sender acts on, and what the receiver lacks of it as far as the
 * sender knows. A notice of an older table than the receiver's asks for what is between.
 *
 * @param epoch of the sender's table, which is in force
 * @param image where the deltas begin, or null if they begin at the receiver's table or there are
 *     none; it is in force
 * @param deltas each made from the table of the one before; the last one leads to {@code epoch}
 */
public record TableNotice(long epoch, @Nullable SegmentTable image, List<TableDelta> deltas)
    implements RebalanceMessage {
  public static final int MAX_DELTAS = 1024;

  public TableNotice {
    deltas = List.copyOf(deltas);
  }

  public static TableNotice of(SegmentTable table) {
    return new TableNotice(table.epoch(), table, List.of());
  }

  /** Only how far the sender is. */
  public static TableNotice at(long epoch) {
    return new TableNotice(epoch, null, List.of());
  }
}
