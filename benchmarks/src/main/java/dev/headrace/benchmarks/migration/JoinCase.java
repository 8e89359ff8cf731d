package dev.headrace.benchmarks.migration;

import dev.headrace.benchmarks.harness.HarnessMessage;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A cluster that grows from one node to many.
 *
 * @param members data nodes in the end
 * @param segments segments, or partitions
 * @param owners replicas of each segment, where there are members enough
 * @param entries entries on the first node
 * @param valueBytes length of each value
 * @param held whether nothing moves before all members are there
 * @param limitSeconds when to stop, whether everything has moved or not
 */
record JoinCase(
    int members,
    int segments,
    int owners,
    int entries,
    int valueBytes,
    boolean held,
    int limitSeconds) {

  /** Longer than anything that ends takes. */
  private static final int NO_LIMIT_SECONDS = 200;

  /** Entries and values of the design document. */
  static JoinCase seed(int members, int segments, int owners) {
    return new JoinCase(members, segments, owners, 10_000, 1000, true, NO_LIMIT_SECONDS);
  }

  /** One entry of the design document's size per segment, so that a segment is always as large. */
  static JoinCase flat(int members, int segments) {
    return new JoinCase(members, segments, 2, segments, 1000, true, NO_LIMIT_SECONDS);
  }

  JoinCase owners(int count) {
    return new JoinCase(members, segments, count, entries, valueBytes, held, limitSeconds);
  }

  JoinCase notHeld() {
    return new JoinCase(members, segments, owners, entries, valueBytes, false, limitSeconds);
  }

  JoinCase limited(int seconds) {
    return new JoinCase(members, segments, owners, entries, valueBytes, held, seconds);
  }

  /**
   * The fewest replicas that must be copied until all members hold as much, to within one, when one
   * node holds everything that there is one replica of.
   */
  int leastMoves() {
    int replicas = segments * Math.min(owners, members);
    int stay = Math.min(segments, (replicas + members - 1) / members);
    return replicas - stay;
  }

  HarnessMessage addTo(HarnessMessage command) {
    return command
        .with("members", members)
        .with("segments", segments)
        .with("owners", owners)
        .with("entries", entries)
        .with("bytes", valueBytes)
        .with("held", held)
        .with("limit", limitSeconds);
  }

  static JoinCase of(HarnessMessage command) {
    return new JoinCase(
        command.whole("members"),
        command.whole("segments"),
        command.whole("owners"),
        command.whole("entries"),
        command.whole("bytes"),
        Boolean.parseBoolean(command.text("held")),
        command.whole("limit"));
  }

  /** The coordinates in results. */
  Map<String, String> parameters() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("members", Integer.toString(members));
    parameters.put("segments", Integer.toString(segments));
    parameters.put("owners", Integer.toString(owners));
    parameters.put("entries", Integer.toString(entries));
    parameters.put("valueBytes", Integer.toString(valueBytes));
    parameters.put("joins", held ? "held back" : "as they come");
    return parameters;
  }
}
