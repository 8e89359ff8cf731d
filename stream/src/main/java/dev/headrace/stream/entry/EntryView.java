package dev.headrace.stream.entry;

import dev.headrace.api.error.WireException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A reusable window on one entry of a batch, in the form of {@link EntryLayout}.
 *
 * <p>{@link #parse} checks every length against the end of the batch, so a damaged or forged batch
 * is refused. Not thread-safe; it belongs to the thread that reads the batch.
 */
public final class EntryView {

  private static final long HIGHEST_BITS = 0x8080_8080_8080_8080L;

  private int versionOffset;
  private int keyOffset;
  private int keyLength;
  private int valueOffset;
  private int valueLength;
  private long expiryMillis;
  private int at;

  /**
   * Reads the entry at an absolute index of a buffer, whose position does not matter.
   *
   * @param limit the index at which the batch ends
   * @return the index behind the entry
   * @throws WireException if the entry does not lie within the batch
   */
  public int parse(ByteBuffer batch, int index, int limit) {
    at = index;
    long header = vlong(batch, limit);
    long end = at + (header >>> 1);
    if (header >>> 32 != 0 || end > limit) {
      throw damaged(index, "its length is " + Long.toUnsignedString(header >>> 1));
    }
    int entryEnd = (int) end;
    long keyBytes = vlong(batch, entryEnd);
    versionOffset = at;
    skipVersion(batch, entryEnd, limit);
    expiryMillis = 0;
    if ((header & 1) != 0) {
      if (entryEnd - at < Long.BYTES) {
        throw damaged(index, "its expiry is cut off");
      }
      expiryMillis = bigEndianLong(batch, at);
      at += Long.BYTES;
    }
    if (keyBytes < 0 || keyBytes > entryEnd - at) {
      throw damaged(index, "its key's length is " + Long.toUnsignedString(keyBytes));
    }
    keyOffset = at;
    keyLength = (int) keyBytes;
    valueOffset = keyOffset + keyLength;
    valueLength = entryEnd - valueOffset;
    return entryEnd;
  }

  /**
   * Skips term and counter, which streams do not need. Together they rarely take more than eight
   * bytes, and the last byte of each is the one whose highest bit is clear.
   */
  private void skipVersion(ByteBuffer batch, int entryEnd, int limit) {
    if (at <= limit - Long.BYTES && batch.order() == ByteOrder.BIG_ENDIAN) {
      long lastBytes = ~batch.getLong(at) & HIGHEST_BITS;
      lastBytes &= ~Long.highestOneBit(lastBytes);
      if (lastBytes != 0) {
        at += (Long.numberOfLeadingZeros(lastBytes) >>> 3) + 1;
        return;
      }
    }
    vlong(batch, entryEnd);
    vlong(batch, entryEnd);
  }

  private long vlong(ByteBuffer batch, int limit) {
    int start = at;
    if (start < limit) {
      int only = batch.get(start);
      if (only >= 0) {
        at = start + 1;
        return only;
      }
      int second;
      if (start + 1 < limit && (second = batch.get(start + 1)) >= 0) {
        at = start + 2;
        return (only & 0x7F) | second << 7;
      }
    }
    return longVlong(batch, limit);
  }

  private long longVlong(ByteBuffer batch, int limit) {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at >= limit) {
        throw damaged(at, "a number is cut off");
      }
      int next = batch.get(at++);
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw damaged(at, "a number has more than 10 bytes");
  }

  private static long bigEndianLong(ByteBuffer batch, int index) {
    long value = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      value = (value << 8) | (batch.get(index + i) & 0xFF);
    }
    return value;
  }

  private static WireException damaged(int index, String what) {
    return new WireException("the entry at byte " + index + " is damaged: " + what);
  }

  public int keyOffset() {
    return keyOffset;
  }

  public int keyLength() {
    return keyLength;
  }

  public int valueOffset() {
    return valueOffset;
  }

  public int valueLength() {
    return valueLength;
  }

  /** The term of the entry's version. {@code batch} must be the one parsed last. */
  public long term(ByteBuffer batch) {
    at = versionOffset;
    return vlong(batch, keyOffset);
  }

  /** The counter of the entry's version. {@code batch} must be the one parsed last. */
  public long counter(ByteBuffer batch) {
    at = versionOffset;
    vlong(batch, keyOffset);
    return vlong(batch, keyOffset);
  }

  /** The entry's expiry in milliseconds of cluster time, 0 for none. */
  public long expiryMillis() {
    return expiryMillis;
  }

  /** A copy of the key's bytes. {@code batch} must be the one parsed last. */
  public byte[] key(ByteBuffer batch) {
    byte[] key = new byte[keyLength];
    batch.get(keyOffset, key);
    return key;
  }

  /** A copy of the value's bytes. {@code batch} must be the one parsed last. */
  public byte[] value(ByteBuffer batch) {
    byte[] value = new byte[valueLength];
    batch.get(valueOffset, value);
    return value;
  }
}
