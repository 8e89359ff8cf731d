package dev.headrace.replication.log;

import dev.headrace.replication.message.Mutation;
import java.util.Arrays;

/**
 * The end of a segment's history: mutations in order without gaps, added at the end and dropped
 * from the front. Guarded by the lane.
 */
public final class RecentMutations {
  private static final Mutation[] EMPTY = {};
  private static final int FIRST_CAPACITY = 8;
  private static final int KEPT_CAPACITY = 64;

  /** A power of two long, or empty. */
  private Mutation[] ring = EMPTY;

  private long firstSequence = 1;

  /** The term of the mutation before the first, 0 if there is none, -1 if it is not known. */
  private long termBefore;

  private int size;
  private long bytes;

  /** The oldest kept; if none is, the one that comes next. */
  long firstSequence() {
    return firstSequence;
  }

  public int size() {
    return size;
  }

  public long bytes() {
    return bytes;
  }

  void add(Mutation mutation) {
    if (mutation.sequence() != firstSequence + size) {
      throw new IllegalStateException(
          "mutation " + mutation.sequence() + " does not follow " + (firstSequence + size - 1));
    }
    if (size == ring.length) {
      grow();
    }
    ring[index(mutation.sequence())] = mutation;
    size++;
    bytes += mutation.approximateBytes();
  }

  public Mutation get(long sequence) {
    if (sequence < firstSequence || sequence >= firstSequence + size) {
      throw new IllegalStateException(
          "mutation %d is not among the %d from %d".formatted(sequence, size, firstSequence));
    }
    return ring[index(sequence)];
  }

  /** Forgets everything; the next mutation is the one behind this. */
  void restart(long sequence, long term) {
    ring = EMPTY;
    firstSequence = sequence + 1;
    termBefore = term;
    size = 0;
    bytes = 0;
  }

  /** The term of a mutation that is kept or was dropped last, 0 of none; -1 if it is not known. */
  public long term(long sequence) {
    if (sequence == firstSequence - 1) {
      return termBefore;
    }
    boolean kept = sequence >= firstSequence && sequence < firstSequence + size;
    return kept ? ring[index(sequence)].term() : -1;
  }

  /** Forgets everything up to a mutation, which need not be there. */
  void dropThrough(long sequence) {
    while (size > 0 && firstSequence <= sequence) {
      int index = index(firstSequence);
      bytes -= ring[index].approximateBytes();
      termBefore = ring[index].term();
      Arrays.fill(ring, index, index + 1, null);
      firstSequence++;
      size--;
    }
    if (size == 0) {
      if (ring.length > KEPT_CAPACITY) {
        ring = EMPTY;
      }
    }
  }

  private int index(long sequence) {
    return (int) sequence & (ring.length - 1);
  }

  private void grow() {
    Mutation[] larger = new Mutation[ring.length == 0 ? FIRST_CAPACITY : ring.length * 2];
    for (long sequence = firstSequence; sequence < firstSequence + size; sequence++) {
      larger[(int) sequence & (larger.length - 1)] = ring[index(sequence)];
    }
    ring = larger;
  }
}
