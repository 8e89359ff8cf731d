package dev.headrace.cluster.process;

import dev.headrace.api.ClusterStatus;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A node's view of the segment table, as one line between processes.
 *
 * @param owners how many owners each segment can have
 * @param shares what each member owns, by its name
 */
record TableStatus(long epoch, int segments, int owners, int lost, Map<String, Share> shares) {

  /** How many segments a member owns in which role. */
  record Share(int primaries, int backups) {
    int replicas() {
      return primaries + backups;
    }
  }

  TableStatus {
    shares = Map.copyOf(shares);
  }

  static TableStatus of(ClusterStatus status) {
    Map<String, Share> shares = new HashMap<>();
    for (ClusterStatus.Member member : status.members()) {
      shares.put(member.name(), new Share(member.primarySegments(), member.backupSegments()));
    }
    return new TableStatus(
        status.epoch(),
        status.segments(),
        status.effectiveOwners(),
        status.lostSegments().size(),
        shares);
  }

  /**
   * What is missing until exactly these members share all segments evenly; null if nothing is.
   *
   * @param holders those that hold segments, all of the same capacity
   * @param clients those that hold nothing
   */
  @Nullable String imbalance(Set<String> holders, Set<String> clients) {
    Set<String> expected = new TreeSet<>(holders);
    expected.addAll(clients);
    if (!shares.keySet().equals(expected)) {
      return "the members are not " + expected;
    }
    List<Share> held = holders.stream().map(shares::get).toList();
    if (lost > 0) {
      return lost + " segments are lost";
    }
    if (sum(held, Share::primaries) != segments
        || sum(held, Share::replicas) != segments * owners) {
      return "not all segments have " + owners + " owners";
    }
    if (spread(held, Share::primaries) > 1 || spread(held, Share::replicas) > 1) {
      return "the shares are not level";
    }
    return null;
  }

  private static int sum(List<Share> shares, ToIntFunction<Share> what) {
    return shares.stream().mapToInt(what).sum();
  }

  private static int spread(List<Share> shares, ToIntFunction<Share> what) {
    var values = shares.stream().mapToInt(what).summaryStatistics();
    return values.getMax() - values.getMin();
  }

  @Override
  public String toString() {
    return "%d %d %d %d ".formatted(epoch, segments, owners, lost)
        + new TreeMap<>(shares)
            .entrySet().stream()
                .map(e -> e.getKey() + "=" + e.getValue().primaries + "+" + e.getValue().backups)
                .collect(Collectors.joining(" "));
  }

  /** What {@link #toString} wrote. */
  static TableStatus parse(String line) {
    String[] words = line.split(" ");
    Map<String, Share> shares = new HashMap<>();
    for (String word : Arrays.asList(words).subList(4, words.length)) {
      String[] parts = word.split("[=+]", 3);
      shares.put(parts[0], new Share(Integer.parseInt(parts[1]), Integer.parseInt(parts[2])));
    }
    return new TableStatus(
        Long.parseLong(words[0]),
        Integer.parseInt(words[1]),
        Integer.parseInt(words[2]),
        Integer.parseInt(words[3]),
        shares);
  }
}
