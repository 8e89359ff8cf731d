package dev.headrace.rebalance.placement.hash;

/** Makes further hashes of a hash. */
public final class Mixing {
  private static final long GOLDEN_RATIO = 0x9e37_79b9_7f4a_7c15L;

  private Mixing() {}

  /**
   * A hash's successor number {@code step}: unlike the hash and all other successors. The steps are
   * those of the generator SplitMix64.
   *
   * <p>Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
   * 2014.
   */
  public static long successor(long hash, int step) {
    return mix(hash + step * GOLDEN_RATIO);
  }

  /** A hash of two. */
  public static long combine(long first, long second) {
    return mix(first ^ second);
  }

  private static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ (mixed >>> 31);
  }
}
