package dev.headrace.rebalance.migration;

/**
 * What a director is told once.
 *
 * @param holdNanos how long it waits after a node has joined, for others that may follow
 * @param resendNanos after how long an order without a report is sent again, and after how long a
 *     fill that failed is tried again
 * @param fillsPerNode how many segments are filled on one node at the same time; their bytes in
 *     flight are bounded by the sources
 * @param movesPerCommit the most moves in one epoch
 */
public record DirectorSettings(
    long holdNanos, long resendNanos, int fillsPerNode, int movesPerCommit) {

  /**
   * Half a second for both times, 256 fills on a node, 1024 moves in an epoch. So few, because the
   * lanes of an epoch change their roles one after the other before the node takes the next one; so
   * many, because an epoch takes two ways through the cluster.
   */
  public static DirectorSettings defaults() {
    return new DirectorSettings(500_000_000L, 500_000_000L, 256, 1024);
  }

  /** Checks every setting. */
  public DirectorSettings {
    require(holdNanos >= 0, "holdNanos must not be negative, but is " + holdNanos);
    require(resendNanos > 0, "resendNanos must be positive, but is " + resendNanos);
    require(fillsPerNode > 0, "fillsPerNode must be positive, but is " + fillsPerNode);
    require(movesPerCommit > 0, "movesPerCommit must be positive, but is " + movesPerCommit);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }
}
