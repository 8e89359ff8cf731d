package dev.headrace.replication.lane;

import java.util.Arrays;

/**
 * An immutable set of segments, of which a changed copy costs little however many segments there
 * are: the copy shares all blocks but the changed one.
 */
final class SegmentSet {
  private static final int BLOCK_BITS = 12;
  private static final int WORDS = 1 << (BLOCK_BITS - 6);
  private static final long[] EMPTY_BLOCK = new long[WORDS];

  private final long[][] blocks;

  private SegmentSet(long[][] blocks) {
    this.blocks = blocks;
  }

  static SegmentSet empty(int segments) {
    long[][] blocks = new long[(segments >>> BLOCK_BITS) + 1][];
    Arrays.fill(blocks, EMPTY_BLOCK);
    return new SegmentSet(blocks);
  }

  boolean contains(int segment) {
    long word = blocks[segment >>> BLOCK_BITS][word(segment)];
    return (word >>> segment & 1) != 0;
  }

  private static int word(int segment) {
    return segment >>> 6 & (WORDS - 1);
  }

  /** Makes changes to a copy. */
  Editor edit() {
    return new Editor();
  }

  /** A copy under way; used by one thread. */
  final class Editor {
    private final long[][] changed = blocks.clone();

    void set(int segment, boolean member) {
      int block = segment >>> BLOCK_BITS;
      if (changed[block] == blocks[block]) {
        changed[block] = blocks[block].clone();
      }
      long bit = 1L << segment;
      long[] words = changed[block];
      if (member) {
        words[word(segment)] |= bit;
      } else {
        words[word(segment)] &= ~bit;
      }
    }

    SegmentSet done() {
      return new SegmentSet(changed);
    }
  }
}
