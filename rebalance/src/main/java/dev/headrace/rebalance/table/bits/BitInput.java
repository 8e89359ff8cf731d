package dev.headrace.rebalance.table.bits;

import dev.headrace.api.error.WireException;
import java.nio.ByteBuffer;

/** Reads what {@link BitOutput} wrote from a big-endian buffer, whose position moves along. */
public final class BitInput {
  private static final int MAX_SHIFT = 63;

  private final ByteBuffer in;
  private final String what;
  private int current; // the byte whose lowest unread bits have not been read
  private int unread;

  /**
   * Reads from the buffer's position.
   *
   * @param what what is read, for errors: "A segment table"
   */
  public BitInput(ByteBuffer in, String what) {
    this.in = in;
    this.what = what;
  }

  /**
   * Reads a number of at most 64 bits.
   *
   * @throws WireException if the bytes end before
   */
  public long bits(int width) {
    long value = 0;
    int left = width;
    while (left > 0) {
      if (unread == 0) {
        need(1, "one more byte");
        current = in.get();
        unread = 8;
      }
      int taken = Math.min(unread, left);
      int part = (current >>> (unread - taken)) & ((1 << taken) - 1);
      value = (value << taken) | part;
      unread -= taken;
      left -= taken;
    }
    return value;
  }

  /**
   * Reads a number of at least 1 in Elias' gamma code.
   *
   * @throws WireException if it is none
   */
  public long gamma() {
    int zeros = 0;
    while (bits(1) == 0) {
      if (++zeros == MAX_SHIFT) {
        throw new WireException(what + " is damaged: a number has more than 63 bits");
      }
    }
    return (1L << zeros) | bits(zeros);
  }

  /** Skips what is left of the present byte. */
  public void align() {
    unread = 0;
  }

  /**
   * Reads a number of bytes of seven bits.
   *
   * @param max the greatest number that may be there
   * @param name what the number is, for errors
   * @throws WireException if it is cut off, negative or greater
   */
  public long vint(long max, String name) {
    align();
    long value = 0;
    int shift = 0;
    long part;
    do {
      if (shift == MAX_SHIFT) {
        throw new WireException(what + " is damaged: its " + name + " does not end");
      }
      part = bits(8);
      value |= (part & 0x7F) << shift;
      shift += 7;
    } while (part > 0x7F);
    if (value > max) {
      throw new WireException(
          what + " is damaged: its " + name + " is " + value + " where at most " + max + " may be");
    }
    return value;
  }

  /** As above, for a number that fits an int. */
  public int vint(int max, String name) {
    return (int) vint((long) max, name);
  }

  /** Skips to whole bytes and gives the buffer, for forms of their own. */
  public ByteBuffer buffer() {
    align();
    return in;
  }

  /**
   * Checks, before room for it is made, that something is there.
   *
   * @throws WireException if it is not
   */
  public void needBits(long count, String name) {
    need((count + 7) / 8, name);
  }

  private void need(long bytes, String name) {
    if (in.remaining() < bytes) {
      throw new WireException(
          "%s is cut off: %d bytes of %s are due, %d are left"
              .formatted(what, bytes, name, in.remaining()));
    }
  }
}
