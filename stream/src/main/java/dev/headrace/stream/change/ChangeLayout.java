package dev.headrace.stream.change;

import dev.headrace.stream.entry.EncodedEntry;
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

  private ChangeLayout() {}

  /**
   * How many bytes a change takes.
   *
   * @param value null unless the kind has one
   * @param previous null if it is not told
   */
  public static long bytes(
      long sequence, long term, byte[] key, byte @Nullable [] value, byte @Nullable [] previous) {
    return bytes(sequence, term, key.length, value == null ? -1 : value.length, previous);
  }

  /** How many bytes a change takes that puts an entry. */
  public static long bytes(
      long sequence, long term, EncodedEntry entry, byte @Nullable [] previous) {
    return bytes(sequence, term, entry.keyLength(), entry.valueLength(), previous);
  }

  private static long bytes(
      long sequence, long term, int keyLength, int valueLength, byte @Nullable [] previous) {
    long body = bodyBytes(sequence, term, keyLength, valueLength, previous);
    return body + EntryLayout.vlongBytes(body);
  }

  /**
   * @param valueLength -1 if there is no value
   */
  private static long bodyBytes(
      long sequence, long term, int keyLength, int valueLength, byte @Nullable [] previous) {
    return 1L
        + EntryLayout.vlongBytes(sequence)
        + EntryLayout.vlongBytes(term)
        + EntryLayout.vintBytes(keyLength)
        + keyLength
        + (valueLength < 0 ? 0 : EntryLayout.vintBytes(valueLength) + valueLength)
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
    int valueLength = value == null ? -1 : value.length;
    int at = writeHead(out, offset, kind, sequence, term, key.length, valueLength, previous);
    at = copy(key, 0, key.length, out, at);
    if (value != null) {
      at = writeNumber(out, at, value.length);
      at = copy(value, 0, value.length, out, at);
    }
    return previous == null ? at : copy(previous, 0, previous.length, out, at);
  }

  /**
   * Writes a change that puts an entry.
   *
   * @return the offset behind it
   */
  public static int write(
      byte[] out,
      int offset,
      ChangeKind kind,
      long sequence,
      long term,
      EncodedEntry entry,
      byte @Nullable [] previous) {
    int keyLength = entry.keyLength();
    int valueLength = entry.valueLength();
    int at = writeHead(out, offset, kind, sequence, term, keyLength, valueLength, previous);
    at = copy(entry.key(), entry.keyOffset(), keyLength, out, at);
    at = writeNumber(out, at, valueLength);
    at = copy(entry.value(), entry.valueOffset(), valueLength, out, at);
    return previous == null ? at : copy(previous, 0, previous.length, out, at);
  }

  private static int writeHead(
      byte[] out,
      int offset,
      ChangeKind kind,
      long sequence,
      long term,
      int keyLength,
      int valueLength,
      byte @Nullable [] previous) {
    long body = bodyBytes(sequence, term, keyLength, valueLength, previous);
    int at = writeNumber(out, offset, body);
    out[at++] = (byte) (kind.code() | (previous == null ? 0 : PREVIOUS));
    at = writeNumber(out, at, sequence);
    at = writeNumber(out, at, term);
    return writeNumber(out, at, keyLength);
  }

  private static int copy(byte[] bytes, int from, int length, byte[] out, int at) {
    System.arraycopy(bytes, from, out, at, length);
    return at + length;
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
