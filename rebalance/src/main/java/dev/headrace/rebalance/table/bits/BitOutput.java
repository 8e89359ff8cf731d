package dev.headrace.rebalance.table.bits;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Writes numbers of any width, the most significant bit first, into bytes that grow. */
public final class BitOutput {
  private byte[] bytes = new byte[256];
  private int length; // bytes that have begun
  private int free; // bits that are free in the last byte

  /** The least width that holds every number from 0 to {@code max}; 0 for 0. */
  public static int width(long max) {
    return 64 - Long.numberOfLeadingZeros(max);
  }

  /** Appends a number's lowest bits. */
  public void bits(long value, int width) {
    int left = width;
    while (left > 0) {
      if (free == 0) {
        grow(1);
        length++;
        free = 8;
      }
      int taken = Math.min(free, left);
      long part = (value >>> (left - taken)) & ((1L << taken) - 1);
      bytes[length - 1] |= (byte) (part << (free - taken));
      free -= taken;
      left -= taken;
    }
  }

  /**
   * Appends a number of at least 1 in about twice its own bits: 1 takes one bit, 2 and 3 take
   * three. The code is Elias' gamma (1975).
   */
  public void gamma(long value) {
    if (value < 1) {
      throw new IllegalArgumentException("This code has no " + value);
    }
    int width = width(value);
    bits(0, width - 1);
    bits(value, width);
  }

  /** Fills up the last byte with zeros. */
  public void align() {
    free = 0;
  }

  /** Appends a number of at least 0 in bytes of seven bits, the lowest first. */
  public void vint(long value) {
    if (value < 0) {
      throw new IllegalArgumentException("This form has no negative numbers: " + value);
    }
    align();
    long left = value;
    while (left > 0x7F) {
      bits(0x80 | (left & 0x7F), 8);
      left >>>= 7;
    }
    bits(left, 8);
  }

  /** Appends room for whole bytes that the caller fills, big-endian. */
  public ByteBuffer room(int count) {
    align();
    grow(count);
    ByteBuffer room = ByteBuffer.wrap(bytes, length, count);
    length += count;
    return room;
  }

  /** How many bytes have begun. */
  public int length() {
    return length;
  }

  /** Appends the whole bytes of another form. */
  public void append(BitOutput form) {
    form.copyTo(room(form.length));
  }

  /** Appends what was written to a buffer. */
  public void copyTo(ByteBuffer out) {
    out.put(bytes, 0, length);
  }

  private void grow(int count) {
    int needed = Math.addExact(length, count);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, Math.multiplyExact(bytes.length, 2)));
    }
  }
}
