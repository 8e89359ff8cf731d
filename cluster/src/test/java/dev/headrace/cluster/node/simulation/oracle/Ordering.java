package dev.headrace.cluster.node.simulation.oracle;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of one key's mutations that explains all their results: a search for a
 * linearization (Wing and Gong, "Testing and Verifying Concurrent Objects", 1993) that remembers
 * where it has been. Writes of unknown outcome may stand anywhere behind their start, or nowhere.
 */
final class Ordering {
  private static final int MOST_WRITES = 62;

  private final List<Write> writes;
  private final @Nullable Integer last;
  private final long required;
  private final Set<State> dead = new HashSet<>();

  private record State(long done, @Nullable Integer value) {}

  Ordering(List<Write> all, @Nullable Integer last) {
    this.last = last;
    writes = new ArrayList<>(all);
    writes.removeIf(Write::isRefused);
    if (writes.size() > MOST_WRITES) {
      throw new AssertionError("a key has " + writes.size() + " writes: too many to be ordered");
    }
    long acknowledged = 0;
    for (int i = 0; i < writes.size(); i++) {
      acknowledged |= writes.get(i).isAcknowledged() ? 1L << i : 0;
    }
    required = acknowledged;
  }

  boolean exists() {
    return leadsToEnd(new State(0, null));
  }

  private boolean leadsToEnd(State state) {
    if ((state.done & required) == required && Objects.equals(state.value, last)) {
      return true;
    }
    if (dead.contains(state)) {
      return false;
    }
    long firstEnd = Write.NEVER;
    for (int i = 0; i < writes.size(); i++) {
      if ((state.done & 1L << i) == 0) {
        firstEnd = Math.min(firstEnd, writes.get(i).endNanos);
      }
    }
    for (int i = 0; i < writes.size(); i++) {
      Write write = writes.get(i);
      boolean next = (state.done & 1L << i) == 0 && write.startNanos <= firstEnd;
      boolean leads =
          next
              && write.fits(state.value)
              && leadsToEnd(new State(state.done | 1L << i, write.after(state.value)));
      if (leads) {
        return true;
      }
    }
    dead.add(state);
    return false;
  }
}
