package dev.headrace.cluster.process;

import java.util.List;

/**
 * How operations of one kind went for a while: a few words between processes.
 *
 * @param operations how many have ended
 * @param failures how many of them had no result
 * @param mostFailures of one caller
 * @param slowestMillis how long the slowest took, in whatever it ended
 * @param troubledMillis the wall clock's time when the last one ended that failed or took longer
 *     than {@link Probed#SLOW_MILLIS}; 0 if none did
 * @param servedMillis the wall clock's time when the last one ended that had a result; 0 if none
 *     had
 */
record Outage(
    long operations,
    long failures,
    long mostFailures,
    long slowestMillis,
    long troubledMillis,
    long servedMillis) {

  static final Outage NONE = new Outage(0, 0, 0, 0, 0, 0);

  /** What the operations of two processes have met together. */
  Outage and(Outage other) {
    return new Outage(
        operations + other.operations,
        failures + other.failures,
        Math.max(mostFailures, other.mostFailures),
        Math.max(slowestMillis, other.slowestMillis),
        Math.max(troubledMillis, other.troubledMillis),
        Math.max(servedMillis, other.servedMillis));
  }

  @Override
  public String toString() {
    return operations
        + " "
        + failures
        + " "
        + mostFailures
        + " "
        + slowestMillis
        + " "
        + troubledMillis
        + " "
        + servedMillis;
  }

  /** What {@link #toString} wrote, out of a line with those of several kinds. */
  static Outage parse(String line, int kind) {
    int words = 6;
    List<Long> numbers =
        List.of(line.split(" ")).subList(kind * words, (kind + 1) * words).stream()
            .map(Long::valueOf)
            .toList();
    return new Outage(
        numbers.get(0),
        numbers.get(1),
        numbers.get(2),
        numbers.get(3),
        numbers.get(4),
        numbers.get(5));
  }

  /** For people: what has happened since a moment. */
  String since(long millis) {
    return "%d, %d failed (at most %d of one caller), the slowest took %d ms, %s"
        .formatted(
            operations,
            failures,
            mostFailures,
            slowestMillis,
            troubledMillis == 0
                ? "none was in trouble"
                : "the last in trouble ended %d ms after the beginning"
                    .formatted(troubledMillis - millis));
  }
}
