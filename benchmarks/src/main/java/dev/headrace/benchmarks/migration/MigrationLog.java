package dev.headrace.benchmarks.migration;

import dev.headrace.benchmarks.harness.HarnessMessage;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What the coordinator of a cluster saw of its migrations.
 *
 * <p>{@code gap} is the histogram of Hazelcast's design document: from the start of one migration
 * to the start of the next, on the coordinator, which is the time of a migration and the pause
 * after it. Systems that move many segments at once start them in groups, so that most gaps are
 * near zero and the mean alone compares; {@code time} tells how long each migration took from its
 * start to the moment at which its outcome was in force on the coordinator. Thread-safe.
 */
final class MigrationLog {

  private static final int DIGITS = 3;
  private static final double NANOS_PER_MICRO = 1000;

  private final Histogram gaps = new Histogram(DIGITS);
  private final Histogram times = new Histogram(DIGITS);
  private final Map<Object, Long> begun = new HashMap<>();
  private boolean any;
  private long firstNanos;
  private long lastBegunNanos;
  private long lastDoneNanos;
  private long done;

  /** A migration starts; starting it again changes nothing. */
  synchronized void begun(Object migration, long nowNanos) {
    if (begun.putIfAbsent(migration, nowNanos) != null) {
      return;
    }
    if (any) {
      gaps.recordValue(Math.max(0, nowNanos - lastBegunNanos));
    } else {
      any = true;
      firstNanos = nowNanos;
    }
    lastBegunNanos = nowNanos;
  }

  /** A migration is over and in force. */
  synchronized void done(Object migration, long nowNanos) {
    Long began = begun.remove(migration);
    if (began != null) {
      times.recordValue(Math.max(0, nowNanos - began));
    }
    lastDoneNanos = nowNanos;
    done++;
  }

  /** A migration is over and has changed nothing. */
  synchronized void failed(Object migration) {
    begun.remove(migration);
  }

  /** Migrations that are in force. */
  synchronized long migrations() {
    return done;
  }

  /** Whether any migration has started. */
  synchronized boolean hasBegun() {
    return any;
  }

  /** When the last one came in force. */
  synchronized long lastDoneNanos() {
    return lastDoneNanos;
  }

  /** When the first one started. */
  synchronized long firstNanos() {
    return firstNanos;
  }

  /** Adds everything, in microseconds. */
  synchronized HarnessMessage addTo(HarnessMessage message) {
    double elapsedMicros = (lastDoneNanos - firstNanos) / NANOS_PER_MICRO;
    HarnessMessage more =
        message
            .with("migrations", done)
            .with("seconds", elapsedMicros / 1e6)
            .with("mean", done == 0 ? Double.NaN : elapsedMicros / done);
    return add(add(more, "gap", gaps), "time", times);
  }

  static HarnessMessage add(HarnessMessage message, String name, Histogram histogram) {
    return message
        .with(name + "Mean", histogram.getMean() / NANOS_PER_MICRO)
        .with(name + "P50", histogram.getValueAtPercentile(50) / NANOS_PER_MICRO)
        .with(name + "P99", histogram.getValueAtPercentile(99) / NANOS_PER_MICRO)
        .with(name + "P999", histogram.getValueAtPercentile(99.9) / NANOS_PER_MICRO)
        .with(name + "Max", histogram.getMaxValue() / NANOS_PER_MICRO);
  }
}
