package dev.headrace.api.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * A region of bytes that codecs read from; the other side of {@link ByteOutput}. Reading past its
 * end throws {@link IllegalArgumentException}.
 *
 * <p>Reusable through {@link #reset}: one input decodes a whole stream without making anything but
 * the decoded values. The buffer's own position, limit and byte order are neither used nor changed.
 * Not thread-safe.
 */
public final class ByteInput {
  private static final VarHandle SHORT =
      MethodHandles.byteBufferViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /** A longer string gets an array of its own, so that one giant does not stay in memory. */
  private static final int MAX_SCRATCH_BYTES = 64 << 10;

  private ByteBuffer buffer = EMPTY;
  private int position;
  private int limit;
  private byte[] scratch = new byte[128];

  /** An empty input; {@link #reset} gives it bytes. */
  public ByteInput() {}

  /** An input over a whole array, which is not copied. */
  public static ByteInput of(byte[] bytes) {
    ByteInput in = new ByteInput();
    in.reset(ByteBuffer.wrap(bytes), 0, bytes.length);
    return in;
  }

  /**
   * Turns to another region.
   *
   * @param buffer heap or direct
   * @param position index in the buffer of the region's first byte
   * @param limit index in the buffer after the region's last byte
   * @throws IllegalArgumentException if the region is not within the buffer's limit
   */
  public void reset(ByteBuffer buffer, int position, int limit) {
    if (position < 0 || limit < position || limit > buffer.limit()) {
      throw new IllegalArgumentException(
          "The region from " + position + " to " + limit + " is not within " + buffer);
    }
    this.buffer = buffer;
    this.position = position;
    this.limit = limit;
  }

  /** Index in the buffer of the next byte. */
  public int position() {
    return position;
  }

  /** Number of bytes left. */
  public int remaining() {
    return limit - position;
  }

  /** Leaves out so many bytes. */
  public void skip(int lengthBytes) {
    take(lengthBytes);
  }

  /** Reads a byte. */
  public byte readByte() {
    return buffer.get(take(1));
  }

  /** Reads 2 bytes. */
  public short readShort() {
    return (short) SHORT.get(buffer, take(Short.BYTES));
  }

  /** Reads 4 bytes. */
  public int readInt() {
    return (int) INT.get(buffer, take(Integer.BYTES));
  }

  /** Reads 8 bytes. */
  public long readLong() {
    return (long) LONG.get(buffer, take(Long.BYTES));
  }

  /** Reads 4 bytes. */
  public float readFloat() {
    return Float.intBitsToFloat(readInt());
  }

  /** Reads 8 bytes. */
  public double readDouble() {
    return Double.longBitsToDouble(readLong());
  }

  /**
   * Reads a number of variable size.
   *
   * @throws IllegalArgumentException if it does not fit in 32 bits
   */
  public int readVarInt() {
    byte first = readByte();
    if (first >= 0) {
      return first;
    }
    int value = first & 0x7F;
    for (int shift = 7; shift < 35; shift += 7) {
      byte next = readByte();
      value |= (next & 0x7F) << shift;
      if (next >= 0) {
        if (shift == 28 && next > 0x0F) {
          break;
        }
        return value;
      }
    }
    throw new IllegalArgumentException("A variable-size number does not fit in 32 bits");
  }

  /**
   * Reads a number of variable size.
   *
   * @throws IllegalArgumentException if it does not fit in 64 bits
   */
  public long readVarLong() {
    byte first = readByte();
    if (first >= 0) {
      return first;
    }
    long value = first & 0x7F;
    for (int shift = 7; shift < 70; shift += 7) {
      byte next = readByte();
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        if (shift == 63 && next > 0x01) {
          break;
        }
        return value;
      }
    }
    throw new IllegalArgumentException("A variable-size number does not fit in 64 bits");
  }

  /** Reads so many bytes into a new array. */
  public byte[] readBytes(int lengthBytes) {
    int at = take(lengthBytes);
    byte[] bytes = new byte[lengthBytes];
    buffer.get(at, bytes, 0, lengthBytes);
    return bytes;
  }

  /**
   * Reads a string of so many bytes of UTF-8.
   *
   * @throws IllegalArgumentException if they are not UTF-8
   */
  public String readUtf8(int lengthBytes) {
    int at = take(lengthBytes);
    byte[] bytes;
    int offset;
    if (buffer.hasArray()) {
      bytes = buffer.array();
      offset = buffer.arrayOffset() + at;
    } else {
      bytes = room(lengthBytes);
      offset = 0;
      buffer.get(at, bytes, 0, lengthBytes);
    }
    String text = new String(bytes, offset, lengthBytes, StandardCharsets.UTF_8);
    // The constructor puts U+FFFD where bytes are malformed. It is in no Latin-1 string, where the
    // search ends at once; elsewhere it is rare, and may have been in the text from the start.
    if (text.indexOf('\uFFFD') >= 0) {
      requireUtf8(bytes, offset, lengthBytes);
    }
    return text;
  }

  /** Reads a value that {@link ByteOutput#writeSized} wrote. */
  public <T> T readSized(Codec<T> codec) {
    return readWithin(codec, readVarInt());
  }

  /** Lets a codec see the next so many bytes only. */
  <T> T readWithin(Codec<T> codec, int lengthBytes) {
    int outerLimit = limit;
    int end = take(lengthBytes) + lengthBytes;
    position = end - lengthBytes;
    limit = end;
    T value = codec.decode(this);
    position = end;
    limit = outerLimit;
    return value;
  }

  /** Checks that so many bytes are left, no more and no fewer. */
  void requireExactly(int lengthBytes, String format) {
    if (limit - position != lengthBytes) {
      throw new IllegalArgumentException(
          "A value of format \""
              + format
              + "\" has "
              + lengthBytes
              + " bytes, but there are "
              + (limit - position));
    }
  }

  /** Checks that nothing is left. */
  void requireNothing(String format) {
    if (remaining() != 0) {
      throw new IllegalArgumentException(
          remaining() + " bytes are left over after a value of format \"" + format + "\"");
    }
  }

  /** Goes back to where it was within the same region. */
  void back(int earlier) {
    position = earlier;
  }

  /** Compares two regions of the buffer as unsigned bytes; a beginning of the other is less. */
  int compare(int from, int to, int otherFrom, int otherTo) {
    int shared = Math.min(to - from, otherTo - otherFrom);
    for (int i = 0; i < shared; i++) {
      int order = Byte.compareUnsigned(buffer.get(from + i), buffer.get(otherFrom + i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(to - from, otherTo - otherFrom);
  }

  private byte[] room(int lengthBytes) {
    if (lengthBytes <= scratch.length) {
      return scratch;
    }
    if (lengthBytes > MAX_SCRATCH_BYTES) {
      return new byte[lengthBytes];
    }
    scratch = new byte[Math.max(lengthBytes, Math.min(2 * scratch.length, MAX_SCRATCH_BYTES))];
    return scratch;
  }

  /** Moves on by so many bytes and returns where they start. */
  private int take(int lengthBytes) {
    int at = position;
    if (lengthBytes < 0 || lengthBytes > limit - at) {
      throw endsEarly(lengthBytes);
    }
    position = at + lengthBytes;
    return at;
  }

  private IllegalArgumentException endsEarly(int lengthBytes) {
    if (lengthBytes < 0) {
      return new IllegalArgumentException("A length is negative: " + lengthBytes);
    }
    return new IllegalArgumentException(
        "The bytes end early: "
            + lengthBytes
            + " more are needed, but "
            + remaining()
            + " are left");
  }

  private static void requireUtf8(byte[] bytes, int offset, int lengthBytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, offset, lengthBytes));
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("A string's " + lengthBytes + " bytes are not UTF-8", e);
    }
  }
}
