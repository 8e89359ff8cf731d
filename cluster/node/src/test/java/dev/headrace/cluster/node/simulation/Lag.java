package dev.headrace.cluster.node.simulation;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.table.SegmentTable;
import java.util.ArrayList;
import java.util.List;

/**
 * Since when some node has not had the newest table in force. Where parts may go on alone there are
 * no leases: until such a node hears of its exclusion, it answers with what it has.
 */
public final class Lag {
  private static final long GOES_ON = Long.MAX_VALUE;

  private final World world;
  private final List<Period> periods = new ArrayList<>();

  private record Period(long fromNanos, long toNanos) {}

  Lag(World world) {
    this.world = world;
  }

  /** A table is in force on some node. */
  void installed() {
    SegmentTable newest = world.newestTable();
    boolean lags =
        newest != null
            && world.living().stream()
                .map(node -> node.engine.table())
                .anyMatch(table -> table != null && table.epoch() != newest.epoch());
    int last = periods.size() - 1;
    boolean lagged = last >= 0 && periods.get(last).toNanos == GOES_ON;
    if (lags && !lagged) {
      periods.add(new Period(world.time.nanoTime(), GOES_ON));
    } else if (!lags && lagged) {
      periods.set(last, new Period(periods.get(last).fromNanos, world.time.nanoTime()));
    }
  }

  /**
   * From when on what a read finds has to be true.
   *
   * @param reader whom it was asked for
   * @param startNanos when it began
   */
  public long truthNanos(SimulatedNode reader, long startNanos) {
    if (reader.settings.splitPolicy() == SplitPolicy.DENY) {
      return startNanos;
    }
    return sinceNanos(startNanos);
  }

  /**
   * From when on tables may still be acted upon at a time: with leases, too, a node that does not
   * know the newest table goes by its own until its lease is over.
   */
  public long sinceNanos(long nowNanos) {
    return periods.stream()
        .filter(period -> period.toNanos >= nowNanos)
        .mapToLong(Period::fromNanos)
        .reduce(nowNanos, Math::min);
  }
}
