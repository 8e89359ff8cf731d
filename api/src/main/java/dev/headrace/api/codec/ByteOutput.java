package dev.headrace.api.codec;

import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A growing array of bytes that codecs write to. Numbers of fixed size are big-endian; numbers of
 * variable size carry seven bits a byte, lowest first, with the top bit set on all but the last.
 *
 * <p>Reusable through {@link #reset()}, which keeps the array. Not thread-safe.
 */
public final class ByteOutput {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** The largest array that every JVM can allocate. */
  private static final int MAX_SIZE_BYTES = Integer.MAX_VALUE - 8;

  private byte[] array;
  private int size;

  /** An empty output with room for 256 bytes. */
  public ByteOutput() {
    this(256);
  }

  /** An empty output with room for so many bytes. */
  public ByteOutput(int initialBytes) {
    array = new byte[Math.max(16, initialBytes)];
  }

  /** Forgets what was written and keeps the room. */
  public void reset() {
    size = 0;
  }

  /** Number of bytes written. */
  public int size() {
    return size;
  }

  /** The array behind it, valid up to {@link #size()} and until the next write; not a copy. */
  public byte[] array() {
    return array;
  }

  /** A copy of the bytes written. */
  public byte[] toByteArray() {
    return Arrays.copyOf(array, size);
  }

  /**
   * A stream that appends what is written to it, for libraries that know streams only. Closing it
   * does nothing.
   */
  public OutputStream asStream() {
    return new AppendingStream(this);
  }

  /** Appends the low eight bits. */
  public void writeByte(int value) {
    reserve(1);
    array[size++] = (byte) value;
  }

  /** Appends the low sixteen bits. */
  public void writeShort(int value) {
    reserve(Short.BYTES);
    SHORT.set(array, size, (short) value);
    size += Short.BYTES;
  }

  /** Appends 4 bytes. */
  public void writeInt(int value) {
    reserve(Integer.BYTES);
    INT.set(array, size, value);
    size += Integer.BYTES;
  }

  /** Appends 8 bytes. */
  public void writeLong(long value) {
    reserve(Long.BYTES);
    LONG.set(array, size, value);
    size += Long.BYTES;
  }

  /** Appends 4 bytes; every not-a-number becomes the same one. */
  public void writeFloat(float value) {
    writeInt(Float.floatToIntBits(value));
  }

  /** Appends 8 bytes; every not-a-number becomes the same one. */
  public void writeDouble(double value) {
    writeLong(Double.doubleToLongBits(value));
  }

  /** Appends 1 to 5 bytes; a negative number, taken as unsigned, has 5. */
  public void writeVarInt(int value) {
    reserve(5);
    int rest = value;
    while ((rest & ~0x7F) != 0) {
      array[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    array[size++] = (byte) rest;
  }

  /** Appends 1 to 10 bytes; a negative number, taken as unsigned, has 10. */
  public void writeVarLong(long value) {
    reserve(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      array[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    array[size++] = (byte) rest;
  }

  /** Appends {@code lengthBytes} bytes of an array. */
  public void writeBytes(byte[] source, int offset, int lengthBytes) {
    reserve(lengthBytes);
    System.arraycopy(source, offset, array, size, lengthBytes);
    size += lengthBytes;
  }

  /** Appends a whole array. */
  public void writeBytes(byte[] source) {
    writeBytes(source, 0, source.length);
  }

  /**
   * Appends a string in UTF-8, without its length.
   *
   * @throws IllegalArgumentException if it has half of a surrogate pair: UTF-8 has no form for it,
   *     and a stand-in would make different keys the same
   */
  public void writeUtf8(String text) {
    int length = text.length();
    reserve(length);
    byte[] target = array;
    int at = size;
    int index = 0;
    while (index < length) {
      char c = text.charAt(index);
      if (c >= 0x80) {
        break;
      }
      target[at++] = (byte) c;
      index++;
    }
    size = at;
    if (index < length) {
      writeBeyondAscii(text, index);
    }
  }

  private void writeBeyondAscii(String text, int start) {
    int length = text.length();
    reserve(3L * (length - start));
    byte[] target = array;
    int at = size;
    int index = start;
    while (index < length) {
      char c = text.charAt(index++);
      if (c < 0x80) {
        target[at++] = (byte) c;
      } else if (c < 0x800) {
        target[at++] = (byte) (0xC0 | c >> 6);
        target[at++] = continuation(c);
      } else if (!Character.isSurrogate(c)) {
        target[at++] = (byte) (0xE0 | c >> 12);
        target[at++] = continuation(c >> 6);
        target[at++] = continuation(c);
      } else {
        int codePoint = text.codePointAt(index - 1);
        if (codePoint == c) {
          throw new IllegalArgumentException(
              String.format(
                  "The string has half of a surrogate pair (U+%04X) at index %d, which UTF-8 cannot"
                      + " hold: store text that is not well-formed as byte[]",
                  (int) c, index - 1));
        }
        index++;
        target[at++] = (byte) (0xF0 | codePoint >> 18);
        target[at++] = continuation(codePoint >> 12);
        target[at++] = continuation(codePoint >> 6);
        target[at++] = continuation(codePoint);
      }
    }
    size = at;
  }

  private static byte continuation(int bits) {
    return (byte) (0x80 | (bits & 0x3F));
  }

  /**
   * Appends a value's length in bytes as a variable-size number, then the value. {@link
   * ByteInput#readSized} is the way back.
   */
  public <T> void writeSized(Codec<T> codec, T value) {
    int start = size;
    writeByte(0);
    codec.encode(value, this);
    int lengthBytes = size - start - 1;
    if (lengthBytes < 0x80) {
      array[start] = (byte) lengthBytes;
    } else {
      moveUp(start, lengthBytes);
    }
  }

  /** Most values are short: room for one byte of length was kept, and longer ones move up. */
  private void moveUp(int start, int lengthBytes) {
    int prefixBytes = varIntBytes(lengthBytes);
    reserve(prefixBytes - 1);
    System.arraycopy(array, start + 1, array, start + prefixBytes, lengthBytes);
    size = start;
    writeVarInt(lengthBytes);
    size += lengthBytes;
  }

  /** The number of bytes that {@link #writeVarInt} appends. */
  public static int varIntBytes(int value) {
    return (38 - Integer.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** The number of bytes that {@link #writeVarLong} appends. */
  public static int varLongBytes(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** Forgets what was written since there were so many bytes. */
  void back(int sizeBytes) {
    size = sizeBytes;
  }

  private void reserve(long bytes) {
    if (array.length - size < bytes) {
      grow(bytes);
    }
  }

  private void grow(long bytes) {
    long needed = size + bytes;
    if (needed > MAX_SIZE_BYTES) {
      throw new IllegalStateException(
          "An encoded value would have " + needed + " bytes, but an array ends at 2 GiB");
    }
    long doubled = Math.min(2L * array.length, MAX_SIZE_BYTES);
    array = Arrays.copyOf(array, (int) Math.max(needed, doubled));
  }
}
