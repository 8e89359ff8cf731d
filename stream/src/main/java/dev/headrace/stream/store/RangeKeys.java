package dev.headrace.stream.store;

import dev.headrace.stream.entry.Cursor;
import java.util.List;

/** Walks a segment's keys in its lane, where nothing can change it meanwhile. */
final class RangeKeys {

  private RangeKeys() {}

  /**
   * Appends the keys behind a cursor in hash order, expired ones too.
   *
   * @param max when to stop
   */
  static void collect(Segment segment, Cursor from, int max, List<byte[]> keys) {
    Generation newer = segment.next;
    if (newer == null) {
      collect(segment.current, 0, from, max, keys);
      return;
    }
    // Below the boundary the older table still holds what has moved.
    collect(newer, 0, from, max, keys);
    collect(segment.current, segment.current.firstIndexOf(segment.boundary), from, max, keys);
  }

  private static void collect(
      Generation generation, int firstIndex, Cursor from, int max, List<byte[]> keys) {
    long[] slots = generation.slots;
    int end = Math.min(generation.tail, slots.length);
    int index =
        from.isStart()
            ? firstIndex
            : Math.max(firstIndex, generation.home(Generation.tag(from.position())));
    for (; index < end && keys.size() < max; index++) {
      long slot = slots[index];
      if (slot != 0) {
        byte[] key = generation.key((int) slot);
        if (!from.covers(generation.position((int) slot), key)) {
          keys.add(key);
        }
      }
    }
  }
}
