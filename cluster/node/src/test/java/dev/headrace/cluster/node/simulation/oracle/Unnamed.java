package dev.headrace.cluster.node.simulation.oracle;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes that no order needs, and without which a search is much shorter: their outcome is unknown,
 * and nothing that was seen or asked names their value. They can only stand in for "some other
 * value", before those that ask whether anything is there. Any of them will do for that, and the
 * first to begin best, as it may stand wherever a later one may: so as many stay of each kind as
 * there are writes that ask.
 */
final class Unnamed {
  private Unnamed() {}

  /** The writes that an order may need; without those that are known to have had no effect. */
  static List<Write> leaveOut(List<Write> all, List<Read> reads, @Nullable Integer last) {
    Set<@Nullable Integer> named = named(all, reads, last);
    long asking = all.stream().filter(write -> !write.isRefused() && write.asksForAny()).count();
    Map<Write.Kind, Integer> kept = new EnumMap<>(Write.Kind.class);
    List<Write> needed = new ArrayList<>();
    for (Write write : all) { // in the order in which they began
      if (write.isRefused()) {
        continue;
      }
      boolean unnamed = !write.isAcknowledged() && !named.contains(write.value);
      if (!unnamed || kept.merge(write.kind, 1, Integer::sum) <= asking) {
        needed.add(write);
      }
    }
    return needed;
  }

  private static Set<@Nullable Integer> named(
      List<Write> all, List<Read> reads, @Nullable Integer last) {
    Set<@Nullable Integer> named = new HashSet<>();
    named.add(null);
    named.add(last);
    reads.forEach(read -> named.add(read.value()));
    for (Write write : all) {
      named.add(write.expected);
      write.previous().ifPresent(named::add);
    }
    return named;
  }
}
