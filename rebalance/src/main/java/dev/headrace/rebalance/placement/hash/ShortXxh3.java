package dev.headrace.rebalance.placement.hash;

/**
 * XXH3 of 4 to 16 bytes that are already in registers.
 *
 * <p>The library takes bytes from memory, and a processor waits for those that were written one by
 * one just before: with short keys that is half of a look-up. Immutable.
 *
 * <p>Source: Collet, <a href="https://github.com/Cyan4973/xxHash">xxHash</a>, specification of
 * XXH3.
 */
final class ShortXxh3 {
  static final int MIN_BYTES = 4;
  static final int MAX_BYTES = 16;

  /** Differences of words of the algorithm's secret. */
  private static final long SECRET_8_16 = 0x1cad_21f7_2c81_017cL ^ 0xdb97_9083_e96d_d4deL;

  private static final long SECRET_24_32 = 0x1f67_b3b7_a4a4_4072L ^ 0x78e5_c0cc_4ee6_79cbL;
  private static final long SECRET_40_48 = 0x2172_ffcc_7dd0_5a82L ^ 0x8e24_43f7_7446_08b8L;

  private static final long RRMXMX_FACTOR = 0x9fb2_1c65_1e98_df25L;
  private static final long AVALANCHE_FACTOR = 0x1656_6791_9e37_79f9L;

  private final long flip8;
  private final long flip16Low;
  private final long flip16High;

  ShortXxh3(long seed) {
    long swapped = seed ^ ((long) Integer.reverseBytes((int) seed) << Integer.SIZE);
    flip8 = SECRET_8_16 - swapped;
    flip16Low = SECRET_24_32 + seed;
    flip16High = SECRET_40_48 - seed;
  }

  /**
   * The hash of some bytes.
   *
   * @param low the first eight, the lowest first; zeros behind the last
   * @param high the others
   */
  long hash(long low, long high, int length) {
    return length <= Long.BYTES ? upTo8(low, length) : upTo16(low, high, length);
  }

  private long upTo8(long bytes, int length) {
    long last = bytes >>> (Byte.SIZE * (length - Integer.BYTES));
    long hash = (last + (bytes << Integer.SIZE)) ^ flip8;
    hash ^= Long.rotateLeft(hash, 49) ^ Long.rotateLeft(hash, 24);
    hash *= RRMXMX_FACTOR;
    hash ^= (hash >>> 35) + length;
    hash *= RRMXMX_FACTOR;
    return hash ^ (hash >>> 28);
  }

  private long upTo16(long low, long high, int length) {
    int before = Byte.SIZE * (length - Long.BYTES); // bits of the low word before the last eight
    long last = before == Long.SIZE ? high : (low >>> before) | (high << (Long.SIZE - before));
    long first = low ^ flip16Low;
    last ^= flip16High;
    long hash = length + Long.reverseBytes(first) + last + folded(first, last);
    hash = (hash ^ (hash >>> 37)) * AVALANCHE_FACTOR;
    return hash ^ (hash >>> 32);
  }

  /** The two halves of the unsigned 128-bit product, put over each other. */
  private static long folded(long one, long other) {
    long signedHigh = Math.multiplyHigh(one, other);
    long high = signedHigh + ((one >> 63) & other) + ((other >> 63) & one);
    return (one * other) ^ high;
  }
}
