package dev.headrace.cluster.node.simulation.oracle;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
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
  private static final int MOST_STEPS = 8_000_000;

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
   * @param undoing what failures will undo: of each, the mutations at the end of the order. The
   *     next one comes last, and what it undoes lies behind everything else
   * @param vain whether the last mutation will be undone and has explained no read so far
   */
  private record State(
      BitSet done,
      BitSet read,
      int failed,
      List<Undoing> undoing,
      boolean vain,
      @Nullable Integer value) {}

  /**
   * The mutations that a failure will undo. Which of them came first does not matter any more, so
   * the search has fewer places to remember.
   *
   * @param before what was there before them
   */
  private record Undoing(int failure, @Nullable Integer before, BitSet writes) {}

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
    // What was answered first was mostly carried out first: so the search soon finds its way.
    writes.sort(Comparator.comparingLong(write -> write.endNanos));
    for (int i = 0; i < writes.size(); i++) {
      required.set(i, writes.get(i).isAcknowledged() && writes.get(i).endNanos <= nowNanos);
    }
  }

  boolean exists() {
    return leadsToEnd(
        explainReads(new State(new BitSet(), new BitSet(), 0, List.of(), false, null)));
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
    // Most failures undo nothing, and a search that has them behind it has far fewer choices.
    if (failureLeadsToEnd(state) || writeLeadsToEnd(state)) {
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
        && state.undoing.isEmpty()
        && Objects.equals(state.value, last);
  }

  private boolean writeLeadsToEnd(State state) {
    long firstEnd = firstEnd(state);
    for (Turn turn : Turn.values()) {
      for (int i = 0; i < writes.size(); i++) {
        Write write = writes.get(i);
        boolean next = !state.done.get(i) && write.startNanos <= firstEnd;
        if (next
            && turn == turn(state, write)
            && !isOver(state, write)
            && !passesRead(state, write.startNanos)
            && followsLeadingToEnd(state, i)) {
          return true;
        }
      }
    }
    return false;
  }

  /** What is tried first to come next, so that the search soon finds its way if there is one. */
  private enum Turn {
    /** It changes nothing, as its result says. */
    WITHOUT_EFFECT,
    /** Its result says that it found what is there now, which may not come again. */
    FITTING,
    ANY,
    /** What is there in the end. */
    LAST
  }

  private Turn turn(State state, Write write) {
    boolean fits = state.undoing.isEmpty() && write.isAcknowledged() && write.fits(state.value);
    if (fits && Objects.equals(write.after(state.value), state.value)) {
      return Turn.WITHOUT_EFFECT;
    } else if (fits && write.depends()) {
      return Turn.FITTING;
    }
    return last != null && last.equals(write.value) ? Turn.LAST : Turn.ANY;
  }

  /**
   * Puts a mutation next: so that it stays, or goes with what the next failure undoes that undoes
   * anything, or begins what an earlier one does. What is undone need not have found what its
   * result tells: it may have been carried out again. It has to explain a read, by itself or by
   * what follows from it: else it makes no difference.
   */
  private boolean followsLeadingToEnd(State state, int write) {
    int groups = state.undoing.size();
    int next = groups == 0 ? failures.size() : state.undoing.get(groups - 1).failure;
    boolean inVain = state.vain && writes.get(write).isUnconditional();
    boolean follows =
        groups == 0 ? writes.get(write).fits(state.value) : isUndoneBy(next, write) && !inVain;
    if (follows && leadsToEnd(explainReads(after(state, write, next)))) {
      return true;
    }
    int last = inVain ? state.failed : next;
    for (int failure = state.failed; failure < last && isUndoneBy(failure, write); failure++) {
      if (leadsToEnd(explainReads(after(state, write, failure)))) {
        return true;
      }
    }
    return false;
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
      if (writes.get(i).concerns(value) && !writes.get(i).isRepetition()) {
        first = Math.min(first, writes.get(i).endNanos);
      }
    }
    return first;
  }

  /** Whether it can happen no more, since it repeats a write that was answered before this. */
  private boolean isOver(State state, Write write) {
    return write.isRepetition()
        && state.done.stream().anyMatch(i -> writes.get(i).startNanos > write.endNanos);
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

  /**
   * @param failure the one that undoes it, or more than there are
   */
  private State after(State state, int write, int failure) {
    BitSet done = (BitSet) state.done.clone();
    done.set(write);
    List<Undoing> undoing = state.undoing;
    Integer value = writes.get(write).after(state.value);
    if (failure < failures.size()) {
      value = writes.get(write).afterUndone(state.value);
      undoing = new ArrayList<>(undoing);
      int last = undoing.size() - 1;
      Undoing group =
          last >= 0 && undoing.get(last).failure == failure
              ? undoing.remove(last)
              : new Undoing(failure, state.value, new BitSet());
      BitSet undone = (BitSet) group.writes.clone();
      undone.set(write);
      undoing.add(new Undoing(failure, group.before, undone));
    }
    return new State(done, state.read, state.failed, undoing, failure < failures.size(), value);
  }

  private boolean isUndoneBy(int failure, int write) {
    return writes.get(write).endNanos > failures.get(failure);
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
    return changed
        ? new State(state.done, read, state.failed, state.undoing, false, state.value)
        : state;
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

  /** A primary has failed, and has undone what it was to undo. */
  private boolean failureLeadsToEnd(State state) {
    if (state.failed == failures.size() || firstEnd(state) < failures.get(state.failed)) {
      return false;
    }
    int last = state.undoing.size() - 1;
    if (last < 0 || state.undoing.get(last).failure > state.failed) {
      return failedLeadsToEnd(state, state.done, state.undoing, state.vain, state.value);
    }
    Undoing undone = state.undoing.get(last);
    BitSet done = (BitSet) state.done.clone();
    done.andNot(undone.writes);
    List<Undoing> others = List.copyOf(state.undoing.subList(0, last));
    return !state.vain && failedLeadsToEnd(state, done, others, false, undone.before);
  }

  private boolean failedLeadsToEnd(
      State before, BitSet done, List<Undoing> undoing, boolean vain, @Nullable Integer value) {
    return leadsToEnd(
        explainReads(new State(done, before.read, before.failed + 1, undoing, vain, value)));
  }
}
