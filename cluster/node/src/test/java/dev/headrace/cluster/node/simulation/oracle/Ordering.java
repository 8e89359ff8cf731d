package dev.headrace.cluster.node.simulation.oracle;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of one key's mutations that explains all their results and everything that was
 * read: a search for a linearization (Wing and Gong, "Testing and Verifying Concurrent Objects",
 * 1993) that remembers where it has been.
 *
 * <p>Writes of unknown outcome may stand anywhere behind their start, or nowhere, but only once. A
 * read has to find a state of that order which holds all that had been acknowledged before it
 * began, and nothing that began after it had ended. Reads need not be in order among each other:
 * one owner may show a write that has not been acknowledged yet while another one does not. So the
 * end of a value's lifespan is no event in the order for reads: each owner hides what has expired
 * by its own clock, and one that does not have the next write yet shows nothing. A failure of a
 * primary may undo the last mutations, as far as they had not been acknowledged; who sent them may
 * have them carried out again.
 */
final class Ordering {
  private static final int MOST_STEPS = 2_000_000;

  private final List<Write> writes = new ArrayList<>();
  private final List<Read> reads;
  private final List<Long> failures;
  private final @Nullable Integer last;
  private final BitSet required = new BitSet();
  private final Set<State> dead = new HashSet<>();
  private int steps;

  /**
   * Where a search has come to.
   *
   * @param done the mutations that have been put in order
   * @param read the reads that are explained
   * @param failed how many failures are behind
   * @param order the mutations that a failure may still undo, in their order
   */
  private record State(
      BitSet done, BitSet read, int failed, List<Undoable> order, @Nullable Integer value) {}

  /**
   * A mutation that the next failure may undo.
   *
   * @param before what was there before it
   * @param mustBeUndone whether its result tells that it has been undone and carried out again
   */
  private record Undoable(int write, @Nullable Integer before, boolean mustBeUndone) {}

  /**
   * @param failures when primaries failed, in ascending order
   * @param last the value that is there in the end
   * @param nowNanos when that was seen
   */
  Ordering(
      List<Write> all,
      List<Read> reads,
      List<Long> failures,
      @Nullable Integer last,
      long nowNanos) {
    this.reads = reads;
    this.failures = failures;
    this.last = last;
    writes.addAll(Unnamed.leaveOut(all, reads, last));
    for (int i = 0; i < writes.size(); i++) {
      required.set(i, writes.get(i).isAcknowledged() && writes.get(i).endNanos <= nowNanos);
    }
  }

  boolean exists() {
    return leadsToEnd(explainReads(new State(new BitSet(), new BitSet(), 0, List.of(), null)));
  }

  private boolean leadsToEnd(State state) {
    if (isEnd(state)) {
      return true;
    }
    if (dead.contains(state)) {
      return false;
    }
    if (++steps > MOST_STEPS) {
      throw new AssertionError("the writes to a key are too many to be put in order: " + writes);
    }
    if (writeLeadsToEnd(state) || failureLeadsToEnd(state)) {
      return true;
    }
    dead.add(state);
    return false;
  }

  private boolean isEnd(State state) {
    BitSet missing = (BitSet) required.clone();
    missing.andNot(state.done);
    return missing.isEmpty()
        && state.read.cardinality() == reads.size()
        && state.order.stream().noneMatch(Undoable::mustBeUndone)
        && Objects.equals(state.value, last);
  }

  private boolean writeLeadsToEnd(State state) {
    long firstEnd = firstEnd(state);
    for (int i = 0; i < writes.size(); i++) {
      Write write = writes.get(i);
      boolean next = !state.done.get(i) && write.startNanos <= firstEnd;
      if (next && mayFollow(state, i) && !passesRead(state, write.startNanos)) {
        if (leadsToEnd(explainReads(after(state, i)))) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean mayFollow(State state, int write) {
    boolean undoable = isUndoneBy(state.failed, write);
    boolean last = undoable || state.order.stream().noneMatch(Undoable::mustBeUndone);
    return last && (undoable || writes.get(write).fits(state.value));
  }

  /**
   * The first end of a mutation that has not been put in order: nothing later may precede it. The
   * end of the lifespan of a value that is not there concerns nobody.
   */
  private long firstEnd(State state) {
    return firstEndButOf(state.done, state.value);
  }

  private long firstEndButOf(BitSet some, @Nullable Integer value) {
    long first = Write.NEVER;
    for (int i = some.nextClearBit(0); i < writes.size(); i = some.nextClearBit(i + 1)) {
      if (writes.get(i).concerns(value)) {
        first = Math.min(first, writes.get(i).endNanos);
      }
    }
    return first;
  }

  /** Whether a read had ended then that is still to be explained. */
  private boolean passesRead(State state, long nanos) {
    for (int i = state.read.nextClearBit(0); i < reads.size(); i = state.read.nextClearBit(i + 1)) {
      if (reads.get(i).endNanos() < nanos) {
        return true;
      }
    }
    return false;
  }

  private State after(State state, int write) {
    BitSet done = (BitSet) state.done.clone();
    done.set(write);
    List<Undoable> order = List.of(); // what is before a mutation that stays, stays
    if (isUndoneBy(state.failed, write)) {
      order = new ArrayList<>(state.order);
      order.add(new Undoable(write, state.value, !writes.get(write).fits(state.value)));
    }
    return new State(done, state.read, state.failed, order, writes.get(write).after(state.value));
  }

  private boolean isUndoneBy(int failure, int write) {
    return failure < failures.size() && writes.get(write).endNanos > failures.get(failure);
  }

  /** What a state explains may count as explained at once: a read changes nothing. */
  private State explainReads(State state) {
    BitSet read = state.read;
    boolean changed = false;
    for (int i = read.nextClearBit(0); i < reads.size(); i = read.nextClearBit(i + 1)) {
      Read one = reads.get(i);
      if (explains(state, one)) {
        if (!changed) {
          read = (BitSet) read.clone();
          changed = true;
        }
        read.set(i);
      }
    }
    return changed ? new State(state.done, read, state.failed, state.order, state.value) : state;
  }

  /** Whether a read finds this value, or finds nothing because it may have expired by then. */
  private boolean explains(State state, Read read) {
    if (Objects.equals(read.value(), state.value)) {
      return read.startNanos() <= firstEnd(state);
    }
    BitSet past = mayHaveExpired(state.value, read.endNanos());
    if (read.value() != null || past.isEmpty()) {
      return false;
    }
    past.or(state.done);
    return read.startNanos() <= firstEndButOf(past, state.value);
  }

  /** The ends of this value that a read may find past; the next write may have come before them. */
  private BitSet mayHaveExpired(@Nullable Integer value, long nanos) {
    BitSet expiries = new BitSet();
    for (int i = 0; i < writes.size(); i++) {
      Write write = writes.get(i);
      expiries.set(
          i,
          write.kind == Write.Kind.EXPIRY
              && Objects.equals(write.expected, value)
              && write.startNanos <= nanos);
    }
    return expiries;
  }

  /** A primary has failed, which may or may not undo what had not been acknowledged. */
  private boolean failureLeadsToEnd(State state) {
    if (state.failed == failures.size() || firstEnd(state) < failures.get(state.failed)) {
      return false;
    }
    for (int undone = 0; undone <= state.order.size(); undone++) {
      State after = afterFailure(state, undone);
      if (after != null && leadsToEnd(explainReads(after))) {
        return true;
      }
    }
    return false;
  }

  /** Null if that would leave what must be undone, and no later failure can undo. */
  private @Nullable State afterFailure(State state, int undone) {
    BitSet done = (BitSet) state.done.clone();
    int kept = state.order.size() - undone;
    Integer value = undone == 0 ? state.value : state.order.get(kept).before;
    state.order.subList(kept, state.order.size()).forEach(one -> done.clear(one.write));
    List<Undoable> order = new ArrayList<>();
    for (Undoable one : state.order.subList(0, kept)) {
      if (isUndoneBy(state.failed + 1, one.write)) {
        order.add(one);
      } else if (one.mustBeUndone) {
        return null;
      } else {
        order.clear();
      }
    }
    return new State(done, state.read, state.failed + 1, order, value);
  }
}
