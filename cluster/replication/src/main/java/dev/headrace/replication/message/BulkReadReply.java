package dev.headrace.replication.message;

import java.util.Arrays;

/**
 * The answer to a {@link BulkRead}: the values of its first keys, one behind the other. If they are
 * fewer than the keys, the values of the others did not fit; the first key is always answered.
 *
 * @param number the read's number
 * @param epoch the epoch of the answering node's table
 * @param lengths for each key that is answered the length of its value, or {@link #ABSENT}, or
 *     {@link #ALONE}
 * @param values at most {@value #MAX_VALUE_BYTES} bytes
 */
@SuppressWarnings("ArrayRecordComponent") // Messages are handed over, never compared.
public record BulkReadReply(long number, long epoch, int[] lengths, byte[] values)
    implements ReplicationMessage {
  /** The most bytes of values. */
  public static final int MAX_VALUE_BYTES = 256 << 10;

  /** In place of a length: there is no entry of this key. */
  public static final int ABSENT = -1;

  /**
   * In place of a length: this node does not tell. It is not the key's owner or not ready, the
   * cache holds another format, or the value is too large for a common answer; an operation for
   * this key alone finds out.
   */
  public static final int ALONE = -2;

  /**
   * Checks that the lengths are those of the values.
   *
   * @throws IllegalArgumentException if they are not
   */
  public BulkReadReply {
    long bytes = 0;
    for (int length : lengths) {
      if (length < ALONE) {
        throw new IllegalArgumentException("a value's length is " + length);
      }
      bytes += Math.max(0, length);
    }
    if (bytes != values.length) {
      throw new IllegalArgumentException(
          "values of %d bytes together lie in %d bytes".formatted(bytes, values.length));
    }
  }

  /** That of the question. */
  @Override
  public int share() {
    return (int) number & Integer.MAX_VALUE;
  }

  /** An answer that tells nothing about any key. */
  public static BulkReadReply none(BulkRead read, long epoch) {
    int[] lengths = new int[read.keys().count()];
    Arrays.fill(lengths, ALONE);
    return new BulkReadReply(read.number(), epoch, lengths, new byte[0]);
  }
}
