package dev.headrace.rebalance.placement.hash;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * 64-bit XXH3, the hash that a cluster uses for its keys: with the cluster's seed a text has the
 * hash of the bytes that the string codec makes of it.
 */
public final class Xxh3Hasher extends Utf8Hasher {
  private final Hasher64 xxh3;
  private final ShortXxh3 shortXxh3;

  public Xxh3Hasher(long seed) {
    xxh3 = Hashing.xxh3_64(seed);
    shortXxh3 = new ShortXxh3(seed);
  }

  @Override
  long hashBytes(byte[] bytes, int offset, int length) {
    return xxh3.hashBytesToLong(bytes, offset, length);
  }

  @Override
  public long hash(CharSequence key) {
    Keys.check(key);
    int length = key.length();
    if (length < ShortXxh3.MIN_BYTES || length > ShortXxh3.MAX_BYTES) {
      return hashText(key);
    }
    long low = 0;
    long high = 0;
    int seen = 0;
    for (int i = 0; i < Math.min(length, Long.BYTES); i++) {
      char c = key.charAt(i);
      seen |= c;
      low |= (long) c << (Byte.SIZE * i);
    }
    for (int i = Long.BYTES; i < length; i++) {
      char c = key.charAt(i);
      seen |= c;
      high |= (long) c << (Byte.SIZE * i);
    }
    return seen < 0x80 ? shortXxh3.hash(low, high, length) : hashText(key);
  }
}
