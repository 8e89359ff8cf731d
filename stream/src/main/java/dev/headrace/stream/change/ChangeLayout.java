package dev.headrace.stream.change;

import dev.headrace.stream.entry.EntryLayout;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a change, the same where a node retains it and in an answer.
 *
 * <pre>
 * vint   body length
 * body:  1 byte kind, and 16 more if the previous value follows
 *        vlong  number of the mutation
 *        vlong  its term
 *        vint   key length
 *        key bytes
 *        vint   value length, and value bytes, if the kind has a value
 *        previous value bytes (the rest of the body), if it follows
 * </pre>
 *
 * <p>Numbers are unsigned LEB128 in the shortest form. Changes follow each other without gaps;
 * {@link ChangeView} reads them.
 */
public final class ChangeLayout {
  static final int PREVIOUS = 16;

  private static final byte[] NOTHING = {};

  private ChangeLayout() {}

  /**
   * How many bytes a change takes.
   *
   * @param value null unless the kind has one
   * @param previous null if it is not told
   */
  public static long bytes(
      long sequence, long term, byte[] key, byte @Nullable [] value, byte @Nullable [] previous) {
    long body = bodyBytes(sequence, term, key, value, previous);
    return body + EntryLayout.vlongBytes(body);
  }

  private static long bodyBytes(
      long sequence, long term, byte[] key, byte @Nullable [] value, byte @Nullable [] previous) {
    return 1L
        + EntryLayout.vlongBytes(sequence)
        + EntryLayout.vlongBytes(term)
        + EntryLayout.vintBytes(key.length)
        + key.length
        + (value == null ? 0 : EntryLayout.vintBytes(value.length) + value.length)
        + (previous == null ? 0 : previous.length);
  }

  /**
   * Writes a change into an array, which has room for it from the offset on.
   *
   * @return the offset behind it
   */
  public static int write(
      byte[] out,
      int offset,
      ChangeKind kind,
      long sequence,
      long term,
      byte[] key,
      byte @Nullable [] value,
      byte @Nullable [] previous) {
    int at = writeNumber(out, offset, bodyBytes(sequence, term, key, value, previous));
    out[at++] = (byte) (kind.code() | (previous == null ? 0 : PREVIOUS));
    at = writeNumber(out, at, sequence);
    at = writeNumber(out, at, term);
    at = writeNumber(out, at, key.length);
    at = copy(key, out, at);
    if (value != null) {
      at = writeNumber(out, at, value.length);
      at = copy(value, out, at);
    }
    return copy(previous == null ? NOTHING : previous, out, at);
  }

  private static int copy(byte[] bytes, byte[] out, int at) {
    System.arraycopy(bytes, 0, out, at, bytes.length);
    return at + bytes.length;
  }

  private static int writeNumber(byte[] out, int offset, long value) {
    int at = offset;
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    out[at++] = (byte) rest;
    return at;
  }

  /** The offset behind the change at an offset, which this node has written. */
  public static int end(byte[] written, int offset) {
    return EntryLayout.skipVlong(written, offset) + EntryLayout.readVint(written, offset);
  }

  /** The number of the mutation of the change at an offset, which this node has written. */
  public static long sequence(byte[] written, int offset) {
    return EntryLayout.readVlong(written, EntryLayout.skipVlong(written, offset) + 1);
  }
}
