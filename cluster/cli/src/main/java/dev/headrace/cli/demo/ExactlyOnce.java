package dev.headrace.cli.demo;

import dev.headrace.cli.progress.Figures;
import java.util.Map;

/**
 * Compares what a stream delivered with its source as a multiset: nothing missing, nothing twice,
 * nothing made up, every value equal. Used by one thread at a time.
 */
final class ExactlyOnce {
  private final Map<Integer, CodePoint> source;
  private final int[] arrivals = new int[Character.MAX_CODE_POINT + 1];
  private int received;
  private int wrong;

  ExactlyOnce(Map<Integer, CodePoint> source) {
    this.source = source;
  }

  void received(Map.Entry<Integer, CodePoint> entry) {
    received++;
    if (entry.getValue().equals(source.get(entry.getKey()))) {
      arrivals[entry.getKey()]++;
    } else {
      wrong++;
    }
  }

  /** Number of entries that arrived so far. */
  int count() {
    return received;
  }

  /** Whether every entry arrived exactly once. */
  boolean holds() {
    return missing() == 0 && again() == 0 && wrong == 0;
  }

  /** The result in words. */
  String verdict() {
    return holds()
        ? "all " + Figures.count(source.size()) + " entries arrived exactly once, every value right"
        : String.format(
            "%,d entries are missing, %,d came again, %,d are wrong", missing(), again(), wrong);
  }

  private long missing() {
    return source.keySet().stream().filter(key -> arrivals[key] == 0).count();
  }

  private long again() {
    long again = 0;
    for (int count : arrivals) {
      again += Math.max(0, count - 1);
    }
    return again;
  }
}
