package dev.headrace.stream.entry;

import dev.headrace.api.error.WireException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The bytes of an entry, the same in a page of the store and in a batch on the wire.
 *
 * <pre>
 * vint   body length &lt;&lt; 1 | has expiry
 * body:  vint   key length
 *        vlong  version: term
 *        vlong  version: counter
 *        8 bytes big-endian expiry in milliseconds of cluster time, if it has one
 *        key bytes
 *        value bytes (the rest of the body)
 * </pre>
 *
 * <p>{@code vint} and {@code vlong} are unsigned LEB128 in the shortest form. In a batch, entries
 * follow each other without gaps; {@link EntryView} reads them. The methods that take a {@code
 * byte[]} trust their input within the array's bounds.
 */
public final class EntryLayout {

  /** The size of the largest entry that the layout can express. */
  public static final int MAX_ENTRY_BYTES = Integer.MAX_VALUE - 64;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long HIGHEST_BITS = 0x8080_8080_8080_8080L;

  private EntryLayout() {}

  /** The length of the shortest form of an unsigned 32-bit number: 1 to 5 bytes. */
  public static int vintBytes(int value) {
    return (38 - Integer.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** The length of the shortest form of an unsigned 64-bit number: 1 to 10 bytes. */
  public static int vlongBytes(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }

  /**
   * The size of an entry in bytes. A {@code long}, because the sum of two array lengths may exceed
   * an {@code int}.
   *
   * @param expiryMillis cluster time, 0 for none
   */
  public static long entryBytes(
      int keyLength, int valueLength, long term, long counter, long expiryMillis) {
    long body = bodyBytes(keyLength, valueLength, term, counter, expiryMillis);
    return body + vlongBytes(body << 1);
  }

  private static long bodyBytes(
      int keyLength, int valueLength, long term, long counter, long expiryMillis) {
    return (long) vintBytes(keyLength)
        + vlongBytes(term)
        + vlongBytes(counter)
        + (expiryMillis == 0 ? 0 : Long.BYTES)
        + keyLength
        + valueLength;
  }

  /**
   * Appends an entry to a buffer.
   *
   * @param expiryMillis cluster time, 0 for none
   * @throws java.nio.BufferOverflowException if there is too little room
   */
  public static void append(
      ByteBuffer out, byte[] key, byte[] value, long term, long counter, long expiryMillis) {
    appendHead(out, key.length, value.length, term, counter, expiryMillis);
    out.put(key).put(value);
  }

  /**
   * Appends all of an entry that comes before its key to a buffer.
   *
   * @param expiryMillis cluster time, 0 for none
   * @throws java.nio.BufferOverflowException if there is too little room
   */
  public static void appendHead(
      ByteBuffer out, int keyLength, int valueLength, long term, long counter, long expiryMillis) {
    int body = (int) bodyBytes(keyLength, valueLength, term, counter, expiryMillis);
    putVint(out, (body << 1) | (expiryMillis == 0 ? 0 : 1));
    putVint(out, keyLength);
    putVlong(out, term);
    putVlong(out, counter);
    if (expiryMillis != 0) {
      out.putLong(expiryMillis);
    }
  }

  /** Writes an entry into a page, which has room for it from the offset on. */
  public static void write(
      byte[] page,
      int offset,
      byte[] key,
      byte[] value,
      long term,
      long counter,
      long expiryMillis) {
    write(page, offset, EncodedEntry.of(key, value, expiryMillis), term, counter);
  }

  /** Writes an entry into a page, which has room for it from the offset on. */
  public static void write(byte[] page, int offset, EncodedEntry entry, long term, long counter) {
    int keyLength = entry.keyLength();
    long expiryMillis = entry.expiryMillis();
    int body = (int) bodyBytes(keyLength, entry.valueLength(), term, counter, expiryMillis);
    int at =
        writeVlong(page, offset, Integer.toUnsignedLong((body << 1) | (expiryMillis == 0 ? 0 : 1)));
    at = writeVlong(page, at, keyLength);
    at = writeVlong(page, at, term);
    at = writeVlong(page, at, counter);
    if (expiryMillis != 0) {
      for (int shift = 56; shift >= 0; shift -= 8) {
        page[at++] = (byte) (expiryMillis >>> shift);
      }
    }
    System.arraycopy(entry.key(), entry.keyOffset(), page, at, keyLength);
    System.arraycopy(entry.value(), entry.valueOffset(), page, at + keyLength, entry.valueLength());
  }

  private static int writeVlong(byte[] page, int offset, long value) {
    int at = offset;
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      page[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    page[at++] = (byte) rest;
    return at;
  }

  /** The unsigned 32-bit number at an offset. */
  public static int readVint(byte[] page, int offset) {
    int value = page[offset];
    if (value >= 0) {
      return value;
    }
    value &= 0x7F;
    int at = offset;
    for (int shift = 7; shift < 35; shift += 7) {
      int next = page[++at];
      value |= (next & 0x7F) << shift;
      if (next >= 0) {
        break;
      }
    }
    return value;
  }

  /** The unsigned 64-bit number at an offset. */
  public static long readVlong(byte[] page, int offset) {
    long value = 0;
    int at = offset;
    for (int shift = 0; shift < 70; shift += 7) {
      int next = page[at++];
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        break;
      }
    }
    return value;
  }

  /** The offset behind the number at an offset. */
  public static int skipVlong(byte[] page, int offset) {
    if (page[offset] >= 0) {
      return offset + 1;
    }
    if (page[offset + 1] >= 0) {
      return offset + 2;
    }
    int at = offset + 2;
    // Ends at the array's end at the latest, with an exception.
    while (page[at] < 0) {
      at++;
    }
    return at + 1;
  }

  /** The length of the entry at an offset, its header included. */
  public static int entryBytes(byte[] page, int offset) {
    int first = page[offset];
    if (first >= 0) {
      return 1 + (first >>> 1);
    }
    int second = page[offset + 1];
    if (second >= 0) {
      return 2 + (((first & 0x7F) | (second << 7)) >>> 1);
    }
    int header = readVint(page, offset);
    return vintBytes(header) + (header >>> 1);
  }

  /** Whether the entry at an offset has an expiry. */
  public static boolean hasExpiry(byte[] page, int offset) {
    return (page[offset] & 1) != 0;
  }

  /** Whether the entry at an index of a batch has an expiry. */
  public static boolean hasExpiry(ByteBuffer batch, int index) {
    return (batch.get(index) & 1) != 0;
  }

  /** Where the body of the entry at an offset begins. */
  public static int bodyOffset(byte[] page, int offset) {
    return skipVlong(page, offset);
  }

  /** Where the key's bytes of the entry at an offset begin. */
  public static int keyOffset(byte[] page, int offset) {
    int expiryBytes = hasExpiry(page, offset) ? Long.BYTES : 0;
    if (offset <= page.length - Long.BYTES) {
      // Header, key length, term and counter mostly take less than eight bytes together, and the
      // last byte of each is the one without its highest bit: skip to behind the fourth of those.
      long lastBytes = ~(long) LONGS.get(page, offset) & HIGHEST_BITS;
      lastBytes &= lastBytes - 1;
      lastBytes &= lastBytes - 1;
      lastBytes &= lastBytes - 1;
      if (lastBytes != 0) {
        return offset + (Long.numberOfTrailingZeros(lastBytes) >>> 3) + 1 + expiryBytes;
      }
    }
    int at = skipVlong(page, bodyOffset(page, offset));
    return skipVlong(page, skipVlong(page, at)) + expiryBytes;
  }

  /** Where the key of the entry at an offset begins, times 2^32, plus its length. */
  public static long keyRegion(byte[] page, int offset) {
    if (offset <= page.length - Long.BYTES) {
      // As in keyOffset. The key's length stands behind the header, mostly in one byte.
      long head = (long) LONGS.get(page, offset);
      long lastBytes = ~head & HIGHEST_BITS;
      int keyLength = (byte) (head >>> (Long.numberOfTrailingZeros(lastBytes) + 1));
      lastBytes &= lastBytes - 1;
      lastBytes &= lastBytes - 1;
      lastBytes &= lastBytes - 1;
      if (lastBytes != 0 && keyLength >= 0) {
        int behindCounter = offset + (Long.numberOfTrailingZeros(lastBytes) >>> 3) + 1;
        int expiryBytes = ((int) head & 1) << 3;
        return ((long) (behindCounter + expiryBytes) << 32) | keyLength;
      }
    }
    return ((long) keyOffset(page, offset) << 32) | (keyLength(page, offset) & 0xFFFF_FFFFL);
  }

  /** The length of the key of the entry at an offset. */
  public static int keyLength(byte[] page, int offset) {
    return readVint(page, bodyOffset(page, offset));
  }

  /** The expiry of an entry that has one, in milliseconds of cluster time. */
  public static long expiryMillis(byte[] page, int offset) {
    int at = keyOffset(page, offset) - Long.BYTES;
    long millis = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      millis = (millis << 8) | (page[at + i] & 0xFF);
    }
    return millis;
  }

  /** Appends an unsigned 32-bit number. */
  public static void putVint(ByteBuffer out, int value) {
    putVlong(out, Integer.toUnsignedLong(value));
  }

  static void putVlong(ByteBuffer out, long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }

  static int getVint(ByteBuffer in) {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      int next = in.get();
      value |= (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new WireException("a number has more than 5 bytes; the message is damaged");
  }
}
