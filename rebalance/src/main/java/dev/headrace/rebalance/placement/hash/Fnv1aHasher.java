package dev.headrace.rebalance.placement.hash;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * 64-bit FNV-1a over the characters of a text, 16 bits at a time.
 *
 * <p>Of ASCII it is the hash of the bytes too. It is here for comparison: short keys that differ in
 * their last characters get near hashes, which spread badly over a ring.
 *
 * <p>Source: Fowler, Noll and Vo, <a href="http://www.isthe.com/chongo/tech/comp/fnv/">FNV
 * Hash</a>.
 */
public final class Fnv1aHasher implements KeyHasher {
  private static final long OFFSET_BASIS = 0xcbf2_9ce4_8422_2325L;
  private static final long PRIME = 0x100_0000_01b3L;

  @Override
  public long hash(byte[] key, int offset, int length) {
    Keys.check(key, offset, length);
    long hash = OFFSET_BASIS;
    for (int i = offset; i < offset + length; i++) {
      if (key[i] < 0) {
        return hash(new String(key, offset, length, UTF_8));
      }
      hash = (hash ^ key[i]) * PRIME;
    }
    return hash;
  }

  @Override
  public long hash(CharSequence key) {
    Keys.check(key);
    long hash = OFFSET_BASIS;
    int length = key.length();
    for (int i = 0; i < length; i++) {
      hash = (hash ^ key.charAt(i)) * PRIME;
    }
    return hash;
  }
}
