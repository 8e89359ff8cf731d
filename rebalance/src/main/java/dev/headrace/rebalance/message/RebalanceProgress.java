package dev.headrace.rebalance.message;

/**
 * How far a rebalance is; the coordinator tells the others a few times a second.
 *
 * @param plannedCopies replicas that have to be copied
 * @param lowerBound how many would have to be copied at the least
 * @param copies replicas that have been copied and are in force
 * @param copying replicas that are being copied
 * @param bytes bytes of entries that were copied
 * @param elapsedNanos since it began
 */
public record RebalanceProgress(
    int plannedCopies, int lowerBound, int copies, int copying, long bytes, long elapsedNanos)
    implements RebalanceMessage {
  public static final RebalanceProgress NONE = new RebalanceProgress(0, 0, 0, 0, 0, 0);

  public boolean finished() {
    return copies >= plannedCopies && copying == 0;
  }

  /** How long the rest takes if it goes on like this, in nanoseconds; 0 while nothing is known. */
  public long remainingNanos() {
    return copies == 0 ? 0 : (long) ((double) elapsedNanos / copies * (plannedCopies - copies));
  }
}
