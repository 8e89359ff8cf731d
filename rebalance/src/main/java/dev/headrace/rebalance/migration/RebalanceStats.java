package dev.headrace.rebalance.migration;

import dev.headrace.rebalance.message.RebalanceProgress;

/** What one plan has come to. Guarded by the coordinator. */
final class RebalanceStats {
  static final RebalanceStats NONE = new RebalanceStats(0, 0, 0); // of no plan
  private static final long PROGRESS_NANOS = 250_000_000L;

  private final int plannedCopies;
  private final int lowerBound;
  private final long beganNanos;
  private int copies;
  private long bytes;
  private long toldNanos;

  RebalanceStats(int plannedCopies, int lowerBound, long beganNanos) {
    this.plannedCopies = plannedCopies;
    this.lowerBound = lowerBound;
    this.beganNanos = beganNanos;
    this.toldNanos = beganNanos;
  }

  boolean begun() {
    return plannedCopies > 0;
  }

  /** Replicas have been copied, and the table that says so is in force. */
  void made(int replicas, long copiedBytes) {
    copies += replicas;
    bytes += copiedBytes;
  }

  /** Whether it is time to tell again. */
  boolean due(long nowNanos) {
    return begun() && nowNanos - toldNanos >= PROGRESS_NANOS;
  }

  /** How far it is; taken as told now. */
  RebalanceProgress tell(int copying, long nowNanos) {
    toldNanos = nowNanos;
    return progress(copying, nowNanos);
  }

  RebalanceProgress progress(int copying, long nowNanos) {
    return new RebalanceProgress(
        plannedCopies, lowerBound, copies, copying, bytes, nowNanos - beganNanos);
  }
}
