package dev.headrace.replication.message;

import org.jspecify.annotations.Nullable;

/**
 * One step in the history of a segment, the same on every owner: what changed, and what the caller
 * was or will be told. An operation whose condition did not hold is a step too, with {@link
 * Change#NONE}, so that a repetition of it is answered alike by whoever is primary then.
 *
 * @param term the version's term: the segment epoch under which its primary made it
 * @param sequence its number in the segment's history, from 1 without gaps; also the version's
 *     counter. One that puts several entries takes as many numbers, and this is the last of them
 * @param id which operation it carried out, or {@link OperationId#NONE}
 * @param change what happens to the store
 * @param key the encoded key; empty for {@link Change#CLEAR} and {@link Change#PUT_ALL}
 * @param value the encoded new value; null unless {@link Change#PUT}; of {@link Change#PUT_ALL} the
 *     {@link EncodedEntries}
 * @param expiryMillis when it expires, in cluster time; 0 for never, and for several entries
 * @param applied the reply's {@code applied}
 * @param previous the reply's {@code value}, which a processor may have answered; of {@link
 *     Change#PUT_ALL} the entries that are {@link EncodedEntries#isLeft left} as they were
 * @param resultTerm the reply's {@code versionTerm}
 * @param resultCounter the reply's {@code versionCounter}
 * @param number the reply's {@code number}
 */
@SuppressWarnings("ArrayRecordComponent") // Messages are handed over, never compared.
public record Mutation(
    long term,
    long sequence,
    OperationId id,
    Change change,
    byte[] key,
    byte @Nullable [] value,
    long expiryMillis,
    boolean applied,
    byte @Nullable [] previous,
    long resultTerm,
    long resultCounter,
    long number) {
  /** A rough size of everything but the byte arrays. */
  private static final int FIXED_BYTES = 96;

  /** What a mutation does to the store. The order is the wire's. */
  public enum Change {
    /** Nothing; only the result is kept. */
    NONE,
    /** Sets a key's value. */
    PUT,
    /** Removes a key. */
    REMOVE,
    /** Removes all entries. */
    CLEAR,
    /** Sets the values of several keys, {@link Mutation#number} of them. */
    PUT_ALL
  }

  /** The first of its numbers: that of the first entry. */
  public long firstSequence() {
    return change == Change.PUT_ALL ? sequence - number + 1 : sequence;
  }

  /** The same, of which the caller is told what a processor has answered. */
  public Mutation answering(byte @Nullable [] answer) {
    return new Mutation(
        term,
        sequence,
        id,
        change,
        key,
        value,
        expiryMillis,
        applied,
        answer,
        resultTerm,
        resultCounter,
        number);
  }

  /** About how many bytes it occupies, for bounds. */
  public long approximateBytes() {
    return FIXED_BYTES
        + (long) key.length
        + (value == null ? 0 : value.length)
        + (previous == null ? 0 : previous.length);
  }
}
