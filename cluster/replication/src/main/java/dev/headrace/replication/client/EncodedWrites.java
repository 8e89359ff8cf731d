package dev.headrace.replication.client;

import dev.headrace.api.codec.ByteOutput;
import java.util.Arrays;

/**
 * Entries that are to be written, encoded one behind the other, in any order and without an object
 * for any of them: each is a key and the value behind it. For one thread.
 */
public final class EncodedWrites {
  private static final int FIRST_ENTRIES = 64;

  private final ByteOutput bytes = new ByteOutput(1 << 12);
  private int[] ends = new int[FIRST_ENTRIES];
  private int[] keyLengths = new int[FIRST_ENTRIES];
  private long[] expiryMillis = new long[FIRST_ENTRIES];
  private int count;

  /** Where the next entry's key is to be written, and then its value. */
  public ByteOutput output() {
    return bytes;
  }

  /** Where the next entry begins. */
  public int start() {
    return count == 0 ? 0 : ends[count - 1];
  }

  /**
   * Adds what was written since {@link #start}.
   *
   * @param keyLength how much of that is the key
   * @param expiry when it expires, in cluster time; 0 for never
   */
  public void end(int keyLength, long expiry) {
    if (count == ends.length) {
      ends = Arrays.copyOf(ends, 2 * count);
      keyLengths = Arrays.copyOf(keyLengths, 2 * count);
      expiryMillis = Arrays.copyOf(expiryMillis, 2 * count);
    }
    ends[count] = bytes.size();
    keyLengths[count] = keyLength;
    expiryMillis[count++] = expiry;
  }

  /** Forgets all entries, and keeps the room. */
  public void reset() {
    bytes.reset();
    count = 0;
  }

  /** Adds an entry. */
  public void add(byte[] key, byte[] value, long expiry) {
    bytes.writeBytes(key);
    bytes.writeBytes(value);
    end(key.length, expiry);
  }

  /** The number of entries. */
  public int count() {
    return count;
  }

  /** The bytes of all keys and values. */
  public int size() {
    return start();
  }

  // ---- One of them

  byte[] array() {
    return bytes.array();
  }

  int start(int index) {
    return index == 0 ? 0 : ends[index - 1];
  }

  int keyLength(int index) {
    return keyLengths[index];
  }

  int valueLength(int index) {
    return ends[index] - start(index) - keyLengths[index];
  }

  /** The bytes of key and value. */
  int bytes(int index) {
    return ends[index] - start(index);
  }

  long expiryMillis(int index) {
    return expiryMillis[index];
  }

  byte[] key(int index) {
    int start = start(index);
    return Arrays.copyOfRange(bytes.array(), start, start + keyLengths[index]);
  }

  byte[] value(int index) {
    return Arrays.copyOfRange(bytes.array(), start(index) + keyLengths[index], ends[index]);
  }

  int compareKeys(int one, int other) {
    byte[] array = bytes.array();
    int start = start(one);
    int otherStart = start(other);
    return Arrays.compareUnsigned(
        array, start, start + keyLengths[one], array, otherStart, otherStart + keyLengths[other]);
  }
}
