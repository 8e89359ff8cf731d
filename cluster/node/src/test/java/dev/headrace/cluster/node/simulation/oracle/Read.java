package dev.headrace.cluster.node.simulation.oracle;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One look at a key: what was seen, and when.
 *
 * @param value null if nothing was there
 * @param startNanos when the look began
 * @param endNanos when it ended
 * @param where who looked, for people
 */
record Read(@Nullable Integer value, long startNanos, long endNanos, String where) {

  /** Whether this look allows everything that the other one does. */
  boolean isImpliedBy(Read other) {
    return Objects.equals(value, other.value)
        && other.startNanos >= startNanos
        && other.endNanos <= endNanos;
  }

  @Override
  public String toString() {
    return where + " saw " + value + " " + startNanos + ".." + endNanos;
  }
}
