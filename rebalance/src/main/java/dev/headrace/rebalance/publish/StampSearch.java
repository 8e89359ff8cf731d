package dev.headrace.rebalance.publish;

import dev.headrace.rebalance.table.SegmentTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Looks for the segments in which a member's table differs, by comparing the stamps of ranges (the
 * walk down a hash tree, Merkle 1988, without the tree): each step divides the first range that
 * differs, until its parts are single segments.
 */
public final class StampSearch {
  /** Into how many parts a range is divided. */
  public static final int PARTS = 16;

  private int from;
  private int to;
  private final long begunNanos;

  public StampSearch(SegmentTable table, long nowNanos) {
    this.to = table.segments();
    this.begunNanos = nowNanos;
  }

  /** What the stamps of a range's parts say. */
  public enum Finding {
    /** The next range is to be asked for. */
    NARROWED,
    /** The range is one of single segments, and some of them differ. */
    FOUND,
    /** Nothing differs in the range. */
    SAME
  }

  /** Whether it has taken so long that something must have been lost. */
  public boolean isLost(long nowNanos, long timeoutNanos) {
    return nowNanos - begunNanos >= timeoutNanos;
  }

  public int from() {
    return from;
  }

  /** The segment after that range. */
  public int to() {
    return to;
  }

  public boolean asks(int first, int end) {
    return from == first && to == end;
  }

  /**
   * Compares the member's stamps with those of the same table here.
   *
   * @param theirs the stamps of the parts of the range that is wanted
   */
  public Finding compare(SegmentTable own, List<Long> theirs) {
    List<Integer> different = different(own, theirs);
    if (different.isEmpty()) {
      return Finding.SAME;
    }
    if (to - from <= PARTS) {
      return Finding.FOUND;
    }
    int part = different.get(0);
    int start = start(from, to, part);
    to = start(from, to, part + 1);
    from = start;
    return Finding.NARROWED;
  }

  /** The segments that differ; empty unless they are found. */
  public List<Integer> segments(SegmentTable own, List<Long> theirs) {
    return to - from > PARTS
        ? List.of()
        : different(own, theirs).stream().map(part -> from + part).toList();
  }

  /** The stamps of the parts of a range, at most {@link #PARTS}. */
  public static List<Long> stamps(SegmentTable table, int from, int to) {
    List<Long> stamps = new ArrayList<>();
    for (int part = 0; part < Math.min(PARTS, to - from); part++) {
      stamps.add(table.rangeStamp(start(from, to, part), start(from, to, part + 1)));
    }
    return stamps;
  }

  /** The parts of the range that differ, in order. */
  private List<Integer> different(SegmentTable own, List<Long> theirs) {
    List<Long> ours = stamps(own, from, to);
    return IntStream.range(0, Math.min(ours.size(), theirs.size()))
        .filter(part -> !ours.get(part).equals(theirs.get(part)))
        .boxed()
        .toList();
  }

  private static int start(int from, int to, int part) {
    int parts = Math.min(PARTS, to - from);
    return from + (int) ((long) (to - from) * part / parts);
  }
}
