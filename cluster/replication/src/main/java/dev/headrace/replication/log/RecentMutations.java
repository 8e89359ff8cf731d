package dev.headrace.replication.log;

import dev.headrace.replication.message.Mutation;
import java.util.Arrays;

/**
 * The end of a segment's history: mutations in order without gaps, added at the end and dropped
 * from the front. Guarded by the lane.
 *
 * <p>A mutation that puts several entries has as many numbers. It is one element here, found by any
 * of them, and kept or dropped as a whole: whoever has applied a history has applied its mutations
 * as wholes.
 */
public final class RecentMutations {
  private static final Mutation[] EMPTY = {};
  private static final int FIRST_CAPACITY = 8;
  private static final int KEPT_CAPACITY = 64;

  /** A power of two long, or empty. */
  private Mutation[] ring = EMPTY;

  /** How many were dropped: the first one's place in the ring, modulo its length. */
  private long dropped;

  private long firstSequence = 1;
  private long lastSequence;

  /** The term of the mutation before the first, 0 if there is none, -1 if it is not known. */
  private long termBefore;

  private int size;
  private long bytes;

  /** The oldest number kept; if none is, the one that comes next. */
  long firstSequence() {
    return firstSequence;
  }

  /** How many mutations are kept. */
  public int size() {
    return size;
  }

  public long bytes() {
    return bytes;
  }

  void add(Mutation mutation) {
    if (mutation.firstSequence() != lastSequence + 1) {
      throw new IllegalStateException(
          "mutation " + mutation.firstSequence() + " does not follow " + lastSequence);
    }
    if (size == ring.length) {
      grow();
    }
    ring[place(size)] = mutation;
    size++;
    lastSequence = mutation.sequence();
    bytes += mutation.approximateBytes();
  }

  /** The mutation that has a number. */
  public Mutation get(long sequence) {
    if (sequence < firstSequence || sequence > lastSequence) {
      throw new IllegalStateException(
          "mutation %d is not among those from %d to %d"
              .formatted(sequence, firstSequence, lastSequence));
    }
    return ring[place(find(sequence))];
  }

  /** How many mutations are kept that come behind one. */
  public int countBehind(long sequence) {
    if (sequence < firstSequence) {
      return size;
    }
    return sequence >= lastSequence ? 0 : size - find(sequence + 1);
  }

  /** How many are kept before the one that has this number. */
  private int find(long sequence) {
    if (lastSequence - firstSequence + 1 == size) {
      return (int) (sequence - firstSequence); // each has one number, as mostly
    }
    int low = 0;
    int high = size - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ring[place(middle)].sequence() < sequence) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Forgets everything; the next mutation is the one behind this. */
  void restart(long sequence, long term) {
    ring = EMPTY;
    dropped = 0;
    firstSequence = sequence + 1;
    lastSequence = sequence;
    termBefore = term;
    size = 0;
    bytes = 0;
  }

  /** The term of a mutation that is kept or was dropped last, 0 of none; -1 if it is not known. */
  public long term(long sequence) {
    if (sequence == firstSequence - 1) {
      return termBefore;
    }
    boolean kept = sequence >= firstSequence && sequence <= lastSequence;
    return kept ? ring[place(find(sequence))].term() : -1;
  }

  /** Forgets everything up to a mutation, which need not be there. */
  void dropThrough(long sequence) {
    while (size > 0 && ring[place(0)].sequence() <= sequence) {
      int place = place(0);
      Mutation first = ring[place];
      bytes -= first.approximateBytes();
      termBefore = first.term();
      firstSequence = first.sequence() + 1;
      Arrays.fill(ring, place, place + 1, null);
      dropped++;
      size--;
    }
    if (size == 0) {
      if (ring.length > KEPT_CAPACITY) {
        ring = EMPTY;
      }
    }
  }

  private int place(int index) {
    return (int) (dropped + index) & (ring.length - 1);
  }

  private void grow() {
    Mutation[] larger = new Mutation[ring.length == 0 ? FIRST_CAPACITY : ring.length * 2];
    for (int index = 0; index < size; index++) {
      larger[(int) (dropped + index) & (larger.length - 1)] = ring[place(index)];
    }
    ring = larger;
  }
}
