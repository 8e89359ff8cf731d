package dev.headrace.stream.store;

import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.HashSpace;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;

/**
 * A table in hash order, and the pages that it points into.
 *
 * <p>A slot is {@code tag << 32 | ref}, 0 if empty. The home of a tag is {@code tag × capacity >>>
 * 32}. Collisions are resolved by linear probing; clusters are kept sorted by (position, key)
 * (Amble and Knuth, "Ordered hash tables", 1974). Probing does not wrap: overflow slots follow the
 * capacity.
 *
 * <p>Guarded by the segment's lane. Slots change under the segment's write lock, except those that
 * a rewrite appends. Readers may walk the table meanwhile: each walk is bounded by the arrays'
 * lengths, and its result is validated before it counts.
 */
final class Generation {

  /** A tag above all others. */
  static final long END_TAG = 1L << 32;

  private static final int TAG_BITS = 32;
  private static final int MIN_CAPACITY = 8;
  private static final int OVERFLOW_SLOTS = 8;

  private final HashSpace space;
  final Pages pages;
  final int capacity;

  /** Replaced by a longer array when the overflow slots are used up. */
  long[] slots;

  /**
   * Behind the last slot that readers may use. It lies tight behind that slot, so that whatever a
   * rewrite appends lies at the tail or behind it.
   */
  int tail;

  private int used;
  private long liveBytes;
  private long deadBytes;
  private long dedicatedBytes;

  Generation(HashSpace space, int capacity, long expectedBytes) {
    this.space = space;
    this.capacity = Math.max(MIN_CAPACITY, capacity);
    this.slots = new long[this.capacity + OVERFLOW_SLOTS];
    this.pages = new Pages(expectedBytes);
  }

  static long tag(long position) {
    return position >>> TAG_BITS;
  }

  static long tagOf(long slot) {
    return slot >>> TAG_BITS;
  }

  static long slot(long position, int ref) {
    return (tag(position) << TAG_BITS) | Integer.toUnsignedLong(ref);
  }

  int home(long tag) {
    return (int) ((tag * capacity) >>> TAG_BITS);
  }

  /** The lowest tag whose home lies at or behind an index. */
  long firstTagHomedAt(int index) {
    if (index >= capacity) {
      return END_TAG;
    }
    return (((long) index << TAG_BITS) + capacity - 1) / capacity;
  }

  /** The index of the first slot that may hold this tag or a higher one. */
  int firstIndexOf(long tag) {
    long[] local = slots;
    int index = home(tag);
    while (index < local.length && local[index] != 0 && tagOf(local[index]) < tag) {
      index++;
    }
    return index;
  }

  /** Whether all slots at or behind an index are empty. */
  boolean isEmptyFrom(int index) {
    long[] local = slots;
    int end = Math.min(tail, local.length);
    for (int at = index; at < end; at++) {
      if (local[at] != 0) {
        return false;
      }
    }
    return true;
  }

  /** The reference of a key's entry, 0 if there is none. The key is a region of an array. */
  int find(long position, byte[] key, int keyOffset, int keyBytes) {
    long[] local = slots;
    long tag = tag(position);
    for (int index = home(tag); index < local.length; index++) {
      long slot = local[index];
      long slotTag = tagOf(slot);
      if (slot == 0 || slotTag > tag) {
        return 0;
      }
      if (slotTag == tag && hasKey((int) slot, key, keyOffset, keyBytes)) {
        return (int) slot;
      }
    }
    return 0;
  }

  private boolean hasKey(int ref, byte[] key, int keyOffset, int keyBytes) {
    byte[] page = pages.page(ref);
    int offset = Pages.offset(ref);
    int at = EntryLayout.bodyOffset(page, offset);
    if (EntryLayout.readVint(page, at) != keyBytes) {
      return false;
    }
    int stored = EntryLayout.keyOffset(page, offset);
    return Arrays.equals(page, stored, stored + keyBytes, key, keyOffset, keyOffset + keyBytes);
  }

  /** The index of a key's slot, or the complement of the index at which it belongs. */
  int search(long position, byte[] key) {
    return search(position, key, 0, key.length);
  }

  /** The same for a key that is a region of an array. */
  int search(long position, byte[] key, int keyOffset, int keyBytes) {
    long[] local = slots;
    long tag = tag(position);
    int index = home(tag);
    for (; index < local.length; index++) {
      long slot = local[index];
      long slotTag = tagOf(slot);
      if (slot == 0 || slotTag > tag) {
        break;
      }
      if (slotTag == tag) {
        int order = compare((int) slot, position, key, keyOffset, keyBytes);
        if (order == 0) {
          return index;
        }
        if (order > 0) {
          break;
        }
      }
    }
    return ~index;
  }

  /** Compares the entry at a reference with a position and key. */
  int compare(int ref, long position, byte[] key) {
    return compare(ref, position, key, 0, key.length);
  }

  private int compare(int ref, long position, byte[] key, int from, int length) {
    byte[] page = pages.page(ref);
    int offset = Pages.offset(ref);
    int keyOffset = EntryLayout.keyOffset(page, offset);
    int keyLength = EntryLayout.keyLength(page, offset);
    Objects.checkFromIndexSize(keyOffset, keyLength, page.length);
    int keyEnd = keyOffset + keyLength;
    int end = from + length;
    if (keyLength == length && Arrays.equals(page, keyOffset, keyEnd, key, from, end)) {
      return 0;
    }
    int order = Long.compareUnsigned(space.positionOf(page, keyOffset, keyLength), position);
    return order != 0 ? order : Arrays.compareUnsigned(page, keyOffset, keyEnd, key, from, end);
  }

  long position(int ref) {
    byte[] page = pages.page(ref);
    int keyOffset = EntryLayout.keyOffset(page, Pages.offset(ref));
    int keyLength = EntryLayout.keyLength(page, Pages.offset(ref));
    // A racing reader may see any length, and must neither hash nor copy beyond the page.
    Objects.checkFromIndexSize(keyOffset, keyLength, page.length);
    return space.positionOf(page, keyOffset, keyLength);
  }

  byte[] key(int ref) {
    byte[] page = pages.page(ref);
    int keyOffset = EntryLayout.keyOffset(page, Pages.offset(ref));
    int keyLength = EntryLayout.keyLength(page, Pages.offset(ref));
    Objects.checkFromIndexSize(keyOffset, keyLength, page.length);
    return Arrays.copyOfRange(page, keyOffset, keyOffset + keyLength);
  }

  int entryBytes(int ref) {
    return EntryLayout.entryBytes(pages.page(ref), Pages.offset(ref));
  }

  boolean hasExpiry(int ref) {
    return EntryLayout.hasExpiry(pages.page(ref), Pages.offset(ref));
  }

  /** Inserts a slot where {@link #search} said that it belongs. */
  void insert(int index, long slot, int entryBytes) {
    int empty = index;
    while (empty < slots.length && slots[empty] != 0) {
      empty++;
    }
    if (empty == slots.length) {
      slots = Arrays.copyOf(slots, empty + OVERFLOW_SLOTS + (empty >> 5));
    }
    System.arraycopy(slots, index, slots, index + 1, empty - index);
    slots[index] = slot;
    tail = Math.max(tail, empty + 1);
    count(entryBytes);
  }

  /** Whether an entry of this length can overwrite a slot's entry. */
  boolean canOverwrite(int index, int entryBytes) {
    return entryBytes <= Pages.SHARED_ENTRY_BYTES && entryBytes == entryBytes((int) slots[index]);
  }

  /** Points a slot at a newer entry of the same key. */
  void replace(int index, long slot, int entryBytes, int replacedBytes) {
    discard((int) slots[index], replacedBytes);
    slots[index] = slot;
    count(entryBytes);
  }

  /** Removes a slot and closes the gap in its cluster. */
  void remove(int index, int entryBytes) {
    discard((int) slots[index], entryBytes);
    int end = index + 1;
    while (end < slots.length && slots[end] != 0 && home(tagOf(slots[end])) < end) {
      end++;
    }
    System.arraycopy(slots, index + 1, slots, index, end - index - 1);
    slots[end - 1] = 0;
    while (tail > 0 && slots[tail - 1] == 0) {
      tail--;
    }
  }

  /**
   * Copies an entry from an older generation. Entries must come in ascending order, above all that
   * are here. Does not move {@link #tail}, so readers do not see the entry yet. If it fails, the
   * entry has not been copied.
   *
   * @return the index of its slot
   */
  int take(Generation older, long slot, int entryBytes) {
    int index = home(tagOf(slot));
    while (index < slots.length && slots[index] != 0) {
      index++;
    }
    if (index == slots.length) {
      long[] longer = Arrays.copyOf(slots, index + OVERFLOW_SLOTS + (index >> 5));
      VarHandle.storeStoreFence(); // No lock is held: readers of lower tags see all of it, or none.
      slots = longer;
    }
    byte[] page = older.pages.page((int) slot);
    int ref;
    if (entryBytes > Pages.SHARED_ENTRY_BYTES) {
      ref = pages.adopt(page);
    } else {
      ref = pages.reserve(entryBytes);
      System.arraycopy(
          page, Pages.offset((int) slot), pages.page(ref), Pages.offset(ref), entryBytes);
    }
    slots[index] = (tagOf(slot) << TAG_BITS) | Integer.toUnsignedLong(ref);
    count(entryBytes);
    return index;
  }

  private void count(int entryBytes) {
    used++;
    liveBytes += entryBytes;
    if (entryBytes > Pages.SHARED_ENTRY_BYTES) {
      dedicatedBytes += entryBytes;
    }
  }

  private void discard(int ref, int entryBytes) {
    used--;
    liveBytes -= entryBytes;
    if (entryBytes > Pages.SHARED_ENTRY_BYTES) {
      dedicatedBytes -= entryBytes;
      pages.free(ref);
    } else {
      deadBytes += entryBytes;
    }
  }

  int used() {
    return used;
  }

  long liveBytes() {
    return liveBytes;
  }

  long deadBytes() {
    return deadBytes;
  }

  /** The live bytes in shared pages, which a rewrite has to copy. */
  long sharedBytes() {
    return liveBytes - dedicatedBytes;
  }

  /** The bytes of all arrays and objects. */
  long heapBytes() {
    return 16 + 8L * slots.length + pages.heapBytes() + 80;
  }
}
