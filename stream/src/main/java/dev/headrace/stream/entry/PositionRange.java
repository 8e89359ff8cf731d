package dev.headrace.stream.entry;

/**
 * The positions of a segment that share their leading bits: all of them at depth 0, half of them at
 * depth 1, and so on. Since positions are hashes, ranges of one depth hold about as many entries.
 *
 * @param depth how many leading bits are shared, at most {@value #MAX_DEPTH}
 * @param first the lowest position of the range, unsigned: the leading bits, then zeros
 */
public record PositionRange(int depth, long first) {

  /** The depth of the narrowest range, which rarely holds more than one entry. */
  public static final int MAX_DEPTH = 32;

  /** The whole segment. */
  public static final PositionRange ALL = new PositionRange(0, 0);

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException if there is no such range
   */
  public PositionRange {
    if (depth < 0 || depth > MAX_DEPTH || (first & ~leading(depth)) != 0) {
      throw new IllegalArgumentException(
          "no range of positions has depth %d and begins with %s"
              .formatted(depth, Long.toHexString(first)));
    }
  }

  private static long leading(int depth) {
    return depth == 0 ? 0 : -1L << (Long.SIZE - depth);
  }

  /** The highest position of the range. */
  public long last() {
    return first | ~leading(depth);
  }

  /**
   * The range of the same depth that lies so many ranges further on.
   *
   * @throws IllegalArgumentException if that is beyond the end of the segment
   */
  public PositionRange following(long count) {
    long width = depth == 0 ? 0 : 1L << (Long.SIZE - depth);
    long index = depth == 0 ? 0 : first >>> (Long.SIZE - depth);
    if (count < 0 || count >= (1L << depth) - index) {
      throw new IllegalArgumentException(count + " ranges behind " + this + " there is none");
    }
    return new PositionRange(depth, first + count * width);
  }

  /** How many ranges of this depth remain up to the segment's end, this one included. */
  public long remaining() {
    return (1L << depth) - (depth == 0 ? 0 : first >>> (Long.SIZE - depth));
  }

  /** The first of the ranges of a greater depth into which this one divides. */
  public PositionRange narrowed(int toDepth) {
    return new PositionRange(toDepth, first);
  }

  /** The place before the range's first entry. */
  public Cursor from() {
    return first == 0 ? Cursor.START : Cursor.after(first - 1);
  }

  /** The place behind the range's last entry. */
  public Cursor to() {
    return Cursor.after(last());
  }
}
