package dev.headrace.replication.repair;

/**
 * Which segment is to be compared when: each once per interval, evenly spread. It goes by the
 * cluster's time, so that nodes agree whose turn it is and a restart begins nothing anew: whoever
 * is a segment's primary at that moment compares it. Used by one thread.
 */
final class Schedule {
  private final long intervalMillis;
  private boolean begun;
  private long next; // intervals times segments since the beginning of time
  private int segments;

  /**
   * @param intervalMillis 0 for never
   */
  Schedule(long intervalMillis) {
    this.intervalMillis = intervalMillis;
  }

  /**
   * The next segment that is due.
   *
   * @return -1 if none is; segments that became due long ago are left out
   */
  int due(int allSegments, long clusterMillis) {
    if (intervalMillis == 0 || clusterMillis < 0) {
      return -1;
    }
    long now = turns(allSegments, clusterMillis);
    if (!begun || segments != allSegments || next > now + 1) {
      begun = true;
      segments = allSegments;
      next = now;
    }
    next = Math.max(next, now - allSegments);
    return next < now ? (int) (next++ % allSegments) : -1;
  }

  private long turns(int allSegments, long clusterMillis) {
    long intervals = clusterMillis / intervalMillis;
    long millis = clusterMillis % intervalMillis;
    return intervals * allSegments + (long) ((double) millis / intervalMillis * allSegments);
  }
}
