package dev.headrace.stream.token;

import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.batch.SegmentPart.Status;
import dev.headrace.stream.entry.Cursor;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which segments remain of a stream, and where to go on in those that have begun. Immutable; nobody
 * may change its parts.
 *
 * @param open the segments that remain
 * @param incarnations by segment, what the stream expects; meaningful for open segments only
 * @param begun the places in the open segments that have begun, in ascending order of segments
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
public record Remainder(BitSet open, int[] incarnations, SortedMap<Integer, Cursor> begun) {

  /** Behind every entry that a segment may have. */
  public static final Cursor END = Cursor.after(-1);

  /** Nothing. */
  public static Remainder none(int segments) {
    return new Remainder(new BitSet(), new int[segments], new TreeMap<>());
  }

  /** Where to go on in an open segment. */
  public Cursor cursor(int segment) {
    return begun.getOrDefault(segment, Cursor.START);
  }

  /** The incarnation that the stream expects of an open segment. */
  public int incarnation(int segment) {
    return incarnations[segment];
  }

  /**
   * What remains within a batch.
   *
   * @param parts the batch's parts
   * @param done how many parts, from the first one on, were handed over completely
   * @param cursor the place in the part that follows these, or null if nothing of it was handed
   *     over
   * @param untold segments among these parts whose ends were not told yet: they stay open, at their
   *     ends, so that their ends are told when the stream goes on
   */
  public Remainder after(
      List<SegmentPart> parts, int done, @Nullable Cursor cursor, List<Integer> untold) {
    BitSet left = (BitSet) open.clone();
    SortedMap<Integer, Cursor> places = new TreeMap<>(begun);
    for (int i = 0; i < done; i++) {
      SegmentPart part = parts.get(i);
      if (part.status() == Status.DONE && untold.contains(part.segment())) {
        places.put(part.segment(), END);
      } else if (part.status() == Status.DONE) {
        left.clear(part.segment());
        places.remove(part.segment());
      } else if (part.status() == Status.MORE && left.get(part.segment())) {
        places.put(part.segment(), part.cursor());
      }
    }
    if (cursor != null && left.get(parts.get(done).segment())) {
      places.put(parts.get(done).segment(), cursor);
    }
    return new Remainder(left, incarnations, places);
  }

  /** What remains of both: a segment that is open in both, behind the later of its two places. */
  Remainder and(Remainder other) {
    BitSet both = (BitSet) open.clone();
    both.and(other.open);
    SortedMap<Integer, Cursor> places = new TreeMap<>();
    for (int s = both.nextSetBit(0); s >= 0; s = both.nextSetBit(s + 1)) {
      Cursor later = later(cursor(s), other.cursor(s));
      if (!later.isStart()) {
        places.put(s, later);
      }
    }
    return new Remainder(both, incarnations, places);
  }

  private static Cursor later(Cursor one, Cursor other) {
    if (one.isStart() || other.isStart()) {
      return one.isStart() ? other : one;
    }
    int order = Long.compareUnsigned(one.position(), other.position());
    byte[] key = other.key();
    if (order != 0 || key == null) {
      return order > 0 ? one : other;
    }
    return one.covers(other.position(), key) ? one : other;
  }
}
