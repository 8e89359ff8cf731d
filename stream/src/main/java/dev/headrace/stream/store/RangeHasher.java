package dev.headrace.stream.store;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.PositionRange;
import org.jspecify.annotations.Nullable;

/**
 * Hashes what a replica holds in a range of positions: keys, values, versions and expiry of all
 * entries, expired ones included. Two replicas that hold the same entries have the same hash,
 * however the entries lie in their pages. If they hold different ones, their hashes are equal with
 * a probability of 2^-64.
 *
 * <p>An entry's bytes in {@link EntryLayout} are the same on all replicas, because each number has
 * one form only. So they are hashed (64-bit XXH3) where they lie; nothing is copied or allocated.
 * The hashes of the entries are combined in hash order.
 *
 * <p>Used in the segment's lane, where nothing changes meanwhile; a range should be small enough
 * not to delay the lane. Reusable; belongs to one thread.
 */
public final class RangeHasher {

  private static final Hasher64 ENTRY_HASH = Hashing.xxh3_64(0x6865_6164_7261_6365L);

  /** An odd number without a pattern: 2^64 divided by the golden ratio. */
  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

  private long hash;
  private int maxEntries;
  private int entries;
  private long bytes;

  /** The number of entries in the last hash. */
  public int entries() {
    return entries;
  }

  /** The number of bytes in the last hash. */
  public long bytes() {
    return bytes;
  }

  /** The hash of a range; 0 if it is empty. */
  public long hash(Replica replica, PositionRange range) {
    return hash(replica, range, Integer.MAX_VALUE);
  }

  /**
   * The hash of a range, or of its first entries.
   *
   * @param limit the most entries to hash
   */
  public long hash(Replica replica, PositionRange range, int limit) {
    hash = 0;
    entries = 0;
    bytes = 0;
    maxEntries = limit;
    Segment segment = replica.content();
    if (segment != null) {
      long firstTag = Generation.tag(range.first());
      long lastTag = Generation.tag(range.last());
      Generation newer = segment.next;
      walk(segment, newer, firstTag, lastTag);
    }
    return hash;
  }

  private void walk(Segment segment, @Nullable Generation newer, long firstTag, long lastTag) {
    if (newer == null) {
      walk(segment.current, firstTag, lastTag);
      return;
    }
    // Below the boundary the old table still holds what has moved.
    walk(newer, firstTag, Math.min(lastTag, segment.boundary - 1));
    walk(segment.current, Math.max(firstTag, segment.boundary), lastTag);
  }

  private void walk(Generation generation, long firstTag, long lastTag) {
    if (firstTag > lastTag) {
      return;
    }
    long[] slots = generation.slots;
    int end = Math.min(generation.tail, slots.length);
    int lastHome = generation.home(lastTag);
    for (int index = generation.home(firstTag); index < end && entries < maxEntries; index++) {
      long slot = slots[index];
      if (slot == 0) {
        if (index >= lastHome) {
          return;
        }
        continue;
      }
      long tag = Generation.tagOf(slot);
      if (tag > lastTag) {
        return;
      }
      if (tag >= firstTag) {
        add(generation.pages, (int) slot);
      }
    }
  }

  private void add(Pages pages, int ref) {
    byte[] page = pages.page(ref);
    int offset = Pages.offset(ref);
    int length = EntryLayout.entryBytes(page, offset);
    long entry = ENTRY_HASH.hashBytesToLong(page, offset, length);
    hash = (Long.rotateLeft(hash, 29) + entry) * MULTIPLIER;
    entries++;
    bytes += length;
  }
}
