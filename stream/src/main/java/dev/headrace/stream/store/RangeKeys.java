package dev.headrace.stream.store;

import dev.headrace.stream.entry.Cursor;
import java.util.List;

/** Walks the keys of a segment in its lane, where nothing changes meanwhile. */
final class RangeKeys {

  private RangeKeys() {}

  /**
   * Appends the keys behind a cursor to a list, in hash order, expired ones included.
   *
   * @param max the size of the list at which to stop
   */
  static void collect(Segment segment, Cursor from, int max, List<byte[]> keys) {
    Generation newer = segment.next;
    if (newer == null) {
      collect(segment.current, 0, from, max, keys);
      return;
    }
    // Below the boundary the old table still holds what has moved.
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
