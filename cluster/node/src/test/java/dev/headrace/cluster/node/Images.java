package dev.headrace.cluster.node;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;

/** Puts whole tables in force. */
public final class Images {
  private Images() {}

  public static void install(TableListener listener, SegmentTable image) {
    listener.onTable(TableDelta.fromNothing(image), image);
  }
}
