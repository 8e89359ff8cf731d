package dev.headrace.replication.repair;

import dev.headrace.stream.NodeId;

/**
 * The bounds of a node's repairs.
 *
 * @param self this node
 * @param intervalMillis in this time every segment is compared once; 0 for only on demand
 * @param bytesPerSecond how many bytes of entries this node hashes per second as a primary
 * @param maxSegments how many segments it has in work at the same time
 * @param resendNanos how long an answer may take before a question is asked again
 * @param patienceNanos how long a segment may make no progress before it is given up
 */
public record RepairSettings(
    NodeId self,
    long intervalMillis,
    long bytesPerSecond,
    int maxSegments,
    long resendNanos,
    long patienceNanos) {
  public RepairSettings {
    if (intervalMillis < 0
        || bytesPerSecond < 1
        || maxSegments < 1
        || resendNanos < 1
        || patienceNanos < resendNanos) {
      throw new IllegalArgumentException(
          "A repair needs an interval of at least 0 ms, one byte per second, one segment, and more patience than what lies between two questions, but has %d ms, %d bytes, %d segments, %d ns and %d ns"
              .formatted(intervalMillis, bytesPerSecond, maxSegments, patienceNanos, resendNanos));
    }
  }

  /**
   * How long an order may make no progress before it is given up. A large segment, which reports
   * nothing until it is done, fits into this time.
   */
  long orderPatienceNanos() {
    return 12 * patienceNanos;
  }

  /** What suits a cluster on a local network. */
  public static RepairSettings of(NodeId self, long intervalMillis, long bytesPerSecond) {
    return new RepairSettings(
        self, intervalMillis, bytesPerSecond, 4, 200_000_000L, 10_000_000_000L);
  }
}
