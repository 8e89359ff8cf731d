package dev.headrace.stream.protocol;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How quickly the nodes of a stream answer, for adaptive credit: a node's weight is its rate in
 * entries (or bytes) per second against the mean of the nodes that have answered, at least a
 * quarter and at most four times. Owned by the drain.
 */
final class AnswerTimes {

  /** A request is not late before this time, however quick the others were. */
  static final long MIN_LATE_NANOS = 50_000_000L;

  /** A request is late when it takes so many times as long as requests usually do. */
  private static final int LATE_FACTOR = 8;

  private static final double MOST_WEIGHT = 4;
  private static final double NEWEST = 0.25; // the part of the newest answer in a mean

  private double usualNanos;

  /** What one node has answered. */
  static final class Rate {
    private double entriesPerNano;
    private double bytesPerNano;

    private boolean isKnown() {
      return entriesPerNano > 0;
    }
  }

  /** A node has answered. */
  void answered(Rate node, int entries, int bytes, long tookNanos) {
    double nanos = Math.max(1, tookNanos);
    usualNanos = usualNanos == 0 ? nanos : mean(usualNanos, nanos);
    if (entries > 0) {
      boolean first = !node.isKnown();
      node.entriesPerNano = first ? entries / nanos : mean(node.entriesPerNano, entries / nanos);
      node.bytesPerNano = first ? bytes / nanos : mean(node.bytesPerNano, bytes / nanos);
    }
  }

  private static double mean(double before, double newest) {
    return before + NEWEST * (newest - before);
  }

  /** After this time a request is late. */
  long lateNanos() {
    return Math.max(MIN_LATE_NANOS, (long) (LATE_FACTOR * usualNanos));
  }

  /** A node's part of the entries; the parts of all nodes that are asked make 1. */
  static double partOfEntries(NodeRead node, List<NodeRead> asked) {
    return part(node, asked, rate -> rate.entriesPerNano);
  }

  /** A node's part of the bytes. */
  static double partOfBytes(NodeRead node, List<NodeRead> asked) {
    return part(node, asked, rate -> rate.bytesPerNano);
  }

  private static double part(NodeRead node, List<NodeRead> asked, ToDoubleFunction<Rate> rate) {
    double sum = 0;
    int known = 0;
    for (NodeRead each : asked) {
      double one = rate.applyAsDouble(each.rate);
      sum += one;
      known += one > 0 ? 1 : 0;
    }
    double mean = known == 0 ? 0 : sum / known;
    double weights = 0;
    for (NodeRead each : asked) {
      weights += weight(rate.applyAsDouble(each.rate), mean);
    }
    return weight(rate.applyAsDouble(node.rate), mean) / weights;
  }

  /** A node that has not answered yet counts like a usual one. */
  private static double weight(double rate, double mean) {
    if (rate == 0 || mean == 0) {
      return 1;
    }
    return Math.max(1 / MOST_WEIGHT, Math.min(MOST_WEIGHT, rate / mean));
  }
}
