package dev.headrace.stream.store;

import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.KeyHash;

/** Hashes of keys, from good to hostile. In a store of one segment a hash is a position. */
final class OneSegmentHashes {

  static final KeyHash GOOD = new HashSpace(1, 17)::hash;

  /** 64 tags, and under each of them different positions. */
  static final KeyHash FEW_TAGS =
      (key, offset, length) -> {
        long hash = GOOD.hash(key, offset, length);
        return (hash & 0xFC00_0000_0000_0000L) | (hash & 0xFFFF);
      };

  /** Five positions, two of which share a tag. */
  static final KeyHash FEW_POSITIONS =
      (key, offset, length) -> {
        long[] positions = {0, 1L << 40, (1L << 40) + 1, 1L << 63, -1};
        return positions[Math.floorMod(GOOD.hash(key, offset, length), positions.length)];
      };

  /** Everything crowds at the lowest and the highest tags. */
  static final KeyHash EXTREMES =
      (key, offset, length) -> {
        long hash = GOOD.hash(key, offset, length);
        long low = hash & 0x7_FFFF_FFFFL;
        return hash < 0 ? -1 - low : low;
      };

  private OneSegmentHashes() {}
}
