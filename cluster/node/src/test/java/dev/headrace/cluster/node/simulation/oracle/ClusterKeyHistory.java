package dev.headrace.cluster.node.simulation.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What was done to one key, and what may therefore be seen of it. Every write has a value of its
 * own, so that a value tells which write it comes from.
 */
final class ClusterKeyHistory {
  private final String key;
  private final List<Write> writes = new ArrayList<>();
  private final List<Read> reads = new ArrayList<>();

  ClusterKeyHistory(String key) {
    this.key = key;
    Write absent = new Write(Write.Kind.PUT, null, null, Long.MIN_VALUE);
    absent.acknowledged(Long.MIN_VALUE);
    writes.add(absent);
  }

  /** A write has begun; until its end is told it may take effect at any time. */
  Write begin(Write.Kind kind, @Nullable Integer expected, @Nullable Integer value, long nowNanos) {
    Write write = new Write(kind, expected, value, nowNanos);
    writes.add(write);
    return write;
  }

  /** Something happens to the key that also happens to others, or follows from another write. */
  void add(Write write) {
    writes.add(write);
  }

  /**
   * From now on the key may be gone, and with it whatever had not been overwritten. What has not
   * been answered may happen on both sides of that.
   */
  void mayBeLost(long nowNanos) {
    List<Write> repeated = writes.stream().filter(Write::isUnderWay).map(Write::repeated).toList();
    writes.addAll(repeated);
    writes.add(new Write(Write.Kind.LOSS, null, null, nowNanos));
  }

  /** It never was lost, although it might have been. */
  void notLost() {
    writes.stream()
        .filter(write -> write.kind == Write.Kind.LOSS || write.isRepetition())
        .forEach(Write::refused);
  }

  /**
   * Checks a value that was seen, as far as that can be done at once; the rest follows in the end.
   *
   * @param fromNanos when the look began
   * @param toNanos when it ended
   */
  void seen(@Nullable Integer value, long fromNanos, long toNanos, String where) {
    if (!possible(value, fromNanos, toNanos)) {
      throw new AssertionError(
          where
              + " saw "
              + key
              + " = "
              + value
              + " between "
              + fromNanos
              + " and "
              + toNanos
              + ", which contradicts "
              + writes);
    }
    Read read = new Read(value, fromNanos, toNanos, where);
    if (reads.stream().noneMatch(read::isImpliedBy)) {
      reads.removeIf(known -> known.isImpliedBy(read));
      reads.add(read);
    }
  }

  private boolean possible(@Nullable Integer value, long fromNanos, long toNanos) {
    return writes.stream()
        .anyMatch(
            write ->
                Objects.equals(write.value, value)
                    && mayCount(write, toNanos)
                    && !overwritten(write, fromNanos, true));
  }

  private static boolean mayCount(Write write, long toNanos) {
    return write.mayHaveTakenEffect() && write.startNanos <= toNanos;
  }

  /** Whether nobody could contradict one who has not seen the key then. */
  boolean mayBeAbsent(long fromNanos, long toNanos) {
    return possible(null, fromNanos, toNanos);
  }

  /** Whether the key may have been stored then, expired or not. */
  boolean mayBeStored(long fromNanos, long toNanos) {
    return writes.stream()
        .anyMatch(
            write ->
                write.value != null
                    && mayCount(write, toNanos)
                    && !overwritten(write, fromNanos, false));
  }

  /** Whether an acknowledged write began after this one's end and ended before a moment. */
  private boolean overwritten(Write write, long momentNanos, boolean byExpiry) {
    for (Write later : writes) {
      if ((byExpiry || later.kind != Write.Kind.EXPIRY)
          && later.changed(write)
          && later.endNanos < momentNanos
          && later.startNanos > write.endNanos) {
        return true;
      }
    }
    return false;
  }

  /**
   * Checks that all mutations can be put in one order in which each of them found what its result
   * says, which explains everything that was ever read, and whose end is the value that the key has
   * now.
   *
   * @param nowNanos when that was seen
   * @param failures when a node failed that may have shown what had not been acknowledged
   */
  void inOrder(@Nullable Integer last, long nowNanos, List<Long> failures) {
    List<Write> past = writes.stream().filter(write -> write.startNanos <= nowNanos).toList();
    if (!new Ordering(past, reads, failures, last, nowNanos).exists()) {
      throw new AssertionError(
          "There is no order of the writes to %s that ends with %s: %s; reads: %s; failures: %s"
              .formatted(key, last, past, reads, failures));
    }
  }
}
