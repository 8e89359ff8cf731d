package dev.headrace.cluster.process;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a process has seen: how much of what went well, and every violation. Thread-safe. */
final class Findings {

  /** What is counted. */
  enum Count {
    /** Writes and additions that were acknowledged. */
    ACKNOWLEDGED,
    /** Those that were refused, and so have not happened. */
    REFUSED,
    /** Those whose outcome is unknown. */
    UNKNOWN,
    /** Reads that were answered. */
    READ,
    /** Reads that were refused. */
    UNREAD,
    /** Streams that completed. */
    STREAMED,
    /** Those of them during which the table changed. */
    ACROSS_CHANGES,
    /** Streams that ended with an error, and went on with its resume token. */
    RESUMED
  }

  private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);
  private final Consumer<String> violations;

  /**
   * @param violations takes what must not happen, as it happens
   */
  Findings(Consumer<String> violations) {
    this.violations = violations;
    for (Count count : Count.values()) {
      counts.put(count, new LongAdder());
    }
  }

  void count(Count what) {
    counts.get(what).increment();
  }

  /** Something must not have happened; null is nothing. */
  void object(@Nullable String objection) {
    if (objection != null) {
      violations.accept(objection);
    }
  }

  /** The counts as one line. */
  @Override
  public String toString() {
    return counts.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(" "));
  }

  /** What {@link #toString} wrote. */
  static Map<Count, Long> parse(String line) {
    Map<Count, Long> counts = new EnumMap<>(Count.class);
    Arrays.stream(line.split(" "))
        .map(word -> word.split("=", 2))
        .forEach(pair -> counts.put(Count.valueOf(pair[0]), Long.valueOf(pair[1])));
    return counts;
  }
}
