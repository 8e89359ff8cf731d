package dev.headrace.stream.change;

import dev.headrace.api.error.WireException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A reusable window on one change in the form of {@link ChangeLayout}. Every length is checked
 * against the end, so damaged bytes are refused. Not thread-safe.
 */
public final class ChangeView {
  private ChangeKind kind = ChangeKind.CREATED;
  private long sequence;
  private long term;
  private int keyOffset;
  private int keyLength;
  private int valueOffset;
  private int valueLength;
  private int previousOffset;
  private int previousLength;
  private int at;

  /**
   * Reads the change at an index.
   *
   * @param limit the index at which the changes end
   * @return the index behind it
   * @throws WireException if it does not lie within them
   */
  public int parse(byte[] bytes, int index, int limit) {
    at = index;
    int body = length(bytes, limit);
    int end = at + body;
    if (body == 0) {
      throw damaged(index, "it has no kind");
    }
    int head = bytes[at++];
    ChangeKind read = ChangeKind.of(head & (ChangeLayout.PREVIOUS - 1));
    if (read == null || (head & ~(2 * ChangeLayout.PREVIOUS - 1)) != 0) {
      throw damaged(index, "its kind is " + head);
    }
    kind = read;
    sequence = number(bytes, end);
    term = number(bytes, end);
    keyLength = length(bytes, end);
    keyOffset = at;
    at += keyLength;
    valueLength = kind.hasValue() ? length(bytes, end) : 0;
    valueOffset = at;
    at += valueLength;
    boolean tellsPrevious = (head & ChangeLayout.PREVIOUS) != 0;
    previousOffset = at;
    previousLength = tellsPrevious ? end - at : -1;
    if (!tellsPrevious && at != end) {
      throw damaged(index, "something follows it");
    }
    return end;
  }

  private int length(byte[] bytes, int limit) {
    long length = number(bytes, limit);
    if (length < 0 || length > limit - at) {
      throw damaged(at, "a length is " + Long.toUnsignedString(length));
    }
    return (int) length;
  }

  private long number(byte[] bytes, int limit) {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at >= limit) {
        throw damaged(at, "a number is cut off");
      }
      int next = bytes[at++];
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw damaged(at, "a number has more than 10 bytes");
  }

  private static WireException damaged(int index, String what) {
    return new WireException("the change at byte " + index + " is damaged: " + what);
  }

  public ChangeKind kind() {
    return kind;
  }

  /** The number of the mutation. */
  public long sequence() {
    return sequence;
  }

  public long term() {
    return term;
  }

  /** A copy of the key's bytes; {@code bytes} must be those parsed last. */
  public byte[] key(byte[] bytes) {
    return Arrays.copyOfRange(bytes, keyOffset, keyOffset + keyLength);
  }

  /** A copy of the value's bytes, or null if the kind has none. */
  public byte @Nullable [] value(byte[] bytes) {
    return kind.hasValue()
        ? Arrays.copyOfRange(bytes, valueOffset, valueOffset + valueLength)
        : null;
  }

  /** A copy of the previous value's bytes, or null if it is not told. */
  public byte @Nullable [] previous(byte[] bytes) {
    return previousLength < 0
        ? null
        : Arrays.copyOfRange(bytes, previousOffset, previousOffset + previousLength);
  }
}
