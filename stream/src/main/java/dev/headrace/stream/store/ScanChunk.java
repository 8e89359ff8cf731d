package dev.headrace.stream.store;

import dev.headrace.stream.entry.EntryFilter;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.EntryReducer;
import dev.headrace.stream.entry.Projection;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A bounded part of a walk through a generation: gathered, measured and copied, not yet validated.
 *
 * <p>First the references are gathered from the slots. Then all headers are measured, with loads
 * that do not depend on each other, so that many cache misses overlap. Then the bytes are copied;
 * entries that lie next to each other are copied as one run. Reusable; owned by one {@link
 * SegmentReader}. A write may tear what is read here: only the arrays' bounds hold until the reader
 * has validated the chunk.
 */
final class ScanChunk {

  static final int MAX_ENTRIES = 128;

  private final int[] refs = new int[MAX_ENTRIES + 2];
  private final int[] indexes = new int[MAX_ENTRIES + 2];
  private final int[] lengths = new int[MAX_ENTRIES + 2];

  private LongSupplier clock = () -> 0;
  private boolean nowKnown;
  private long nowMillis;

  /** Entries copied. */
  int entries;

  /** Bytes copied. */
  int bytes;

  /** The size of the next entry if it was too large for the room, else 0. */
  int tooLargeBytes;

  /** The slot at which to continue. */
  int nextIndex;

  /** Whether the generation has no further entry. */
  boolean ends;

  /** Entries copied or skipped; the position is known if there are any. */
  int examined;

  /** The position of the last entry copied or skipped. */
  long position;

  /** The key of that entry, if the next one has the same position. */
  byte @Nullable [] runKey;

  /** Which entries are wanted; null for all. */
  private @Nullable EntryFilter filter;

  /**
   * Begins a read, which asks for the time at most once.
   *
   * @param wanted which entries are wanted; null for all
   */
  void begin(LongSupplier clusterTimeMillis, @Nullable EntryFilter wanted) {
    clock = clusterTimeMillis;
    filter = wanted;
    nowKnown = false;
  }

  /**
   * Reads entries from a slot on.
   *
   * @param outIndex the index of the buffer at which the copy begins
   */
  void read(
      Generation generation,
      int fromIndex,
      int maxEntries,
      int roomBytes,
      Projection projection,
      ByteBuffer out,
      int outIndex) {
    entries = 0;
    bytes = 0;
    tooLargeBytes = 0;
    long[] slots = generation.slots;
    int end = Math.min(generation.tail, slots.length);
    // Of those that a filter looks at, few may be wanted.
    int wanted = filter == null ? Math.min(MAX_ENTRIES, maxEntries) : MAX_ENTRIES;
    int gathered = gather(slots, fromIndex, end, wanted);
    int offered = Math.min(gathered, wanted);
    if (projection.whole()) {
      int expiryMask = projection == Projection.ENTRIES ? 1 : 0;
      examined =
          filter == null
              ? measure(generation, offered, roomBytes, expiryMask)
              : measureWanted(generation, filter, offered, maxEntries, roomBytes);
      copyRuns(generation, out, outIndex);
    } else if (projection == Projection.NOTHING) {
      examined = count(generation, offered, maxEntries);
    } else {
      examined = measureParts(generation, offered, maxEntries, roomBytes, projection);
      copyParts(generation, projection, out, outIndex);
    }
    endAt(generation, slots, gathered, wanted, end);
  }

  /** Notes entries from a slot on, instead of copying them. */
  void add(Generation generation, int fromIndex, EntryReducer reducer) {
    entries = 0;
    bytes = 0;
    tooLargeBytes = 0;
    long[] slots = generation.slots;
    int end = Math.min(generation.tail, slots.length);
    int gathered = gather(slots, fromIndex, end, MAX_ENTRIES);
    examined = note(generation, reducer, Math.min(gathered, MAX_ENTRIES));
    entries = reducer.noted();
    endAt(generation, slots, gathered, MAX_ENTRIES, end);
  }

  private int note(Generation generation, EntryReducer reducer, int offered) {
    measureAhead(generation, offered);
    reducer.begin();
    int seen = 0;
    for (; seen < offered; seen++) {
      int ref = refs[seen];
      byte[] page = generation.pages.page(ref);
      int offset = Pages.offset(ref);
      if (isHidden(page, offset)) {
        continue;
      }
      long neededBytes = reducer.note(page, offset, lengths[seen]);
      if (neededBytes != 0) {
        tooLargeBytes = (int) Math.min(Integer.MAX_VALUE, neededBytes);
        break;
      }
    }
    return seen;
  }

  private void endAt(Generation generation, long[] slots, int gathered, int wanted, int end) {
    ends = gathered <= wanted && examined == gathered;
    nextIndex = examined < gathered ? indexes[examined] : end;
    if (examined > 0) {
      long following = examined < gathered ? slots[indexes[examined]] : 0;
      rememberPlace(generation, slots[indexes[examined - 1]], following);
    }
  }

  /** Collects the references of used slots, one more than wanted if there are enough. */
  private int gather(long[] slots, int fromIndex, int end, int wanted) {
    int[] toRefs = refs;
    int[] toIndexes = indexes;
    int count = 0;
    for (int index = fromIndex; index < end && count <= wanted; index++) {
      long slot = slots[index];
      toRefs[count] = (int) slot;
      toIndexes[count] = index;
      // Empty slots are random: two stores cost less than a branch that is often mispredicted.
      count += (int) ((slot | -slot) >>> 63);
    }
    return count;
  }

  /**
   * Measures whole entries. Skips expired ones and stops at the first that does not fit.
   *
   * @param expiryMask 1 if expired entries are hidden, 0 if not
   * @return how many references were examined
   */
  private int measure(Generation generation, int offered, int roomBytes, int expiryMask) {
    byte[] @Nullable [] pages = generation.pages.pages;
    int[] fromRefs = refs;
    int[] toLengths = lengths;
    int accepted = 0;
    int total = 0;
    int seen = 0;
    for (; seen < offered; seen++) {
      int ref = fromRefs[seen];
      byte[] page = Pages.existing(pages[ref >>> Pages.OFFSET_BITS]);
      int offset = ref & Pages.OFFSET_MASK;
      int length = EntryLayout.entryBytes(page, offset);
      if ((page[offset] & expiryMask) != 0 && expired(page, offset)) {
        continue;
      }
      if (length > roomBytes - total || length < 0) {
        tooLargeBytes = length;
        break;
      }
      fromRefs[accepted] = ref;
      toLengths[accepted++] = length;
      total += length;
    }
    entries = accepted;
    bytes = total;
    return seen;
  }

  /**
   * Measures the headers of all entries on offer. A filter looks at each of them for longer than
   * the processor looks ahead, so their cache misses would come one after the other otherwise.
   */
  private void measureAhead(Generation generation, int offered) {
    byte[] @Nullable [] pages = generation.pages.pages;
    for (int i = 0; i < offered; i++) {
      int ref = refs[i];
      byte[] page = Pages.existing(pages[ref >>> Pages.OFFSET_BITS]);
      lengths[i] = EntryLayout.entryBytes(page, ref & Pages.OFFSET_MASK);
    }
  }

  /** As {@link #measure}, of the entries that have not expired and that a filter accepts. */
  private int measureWanted(
      Generation generation, EntryFilter wanted, int offered, int maxEntries, int roomBytes) {
    measureAhead(generation, offered);
    int seen = 0;
    for (; seen < offered && entries < maxEntries; seen++) {
      int ref = refs[seen];
      byte[] page = generation.pages.page(ref);
      int offset = Pages.offset(ref);
      int length = lengths[seen];
      if (isHidden(page, offset) || !wanted.accepts(page, offset, length)) {
        continue;
      }
      if (length > roomBytes - bytes || length < 0) {
        tooLargeBytes = length;
        break;
      }
      refs[entries] = ref;
      lengths[entries++] = length;
      bytes += length;
    }
    return seen;
  }

  /** Counts the entries that have not expired and that the filter, if there is one, accepts. */
  private int count(Generation generation, int offered, int maxEntries) {
    EntryFilter wanted = filter;
    measureAhead(generation, offered);
    int seen = 0;
    for (; seen < offered && entries < maxEntries; seen++) {
      int ref = refs[seen];
      byte[] page = generation.pages.page(ref);
      int offset = Pages.offset(ref);
      if (isHidden(page, offset)) {
        continue;
      }
      if (wanted == null || wanted.accepts(page, offset, lengths[seen])) {
        entries++;
      }
    }
    return seen;
  }

  private boolean isHidden(byte[] page, int offset) {
    return EntryLayout.hasExpiry(page, offset) && expired(page, offset);
  }

  private void copyRuns(Generation generation, ByteBuffer out, int outIndex) {
    byte[] @Nullable [] pages = generation.pages.pages;
    int[] fromRefs = refs;
    int[] fromLengths = lengths;
    int count = entries;
    int to = outIndex;
    for (int first = 0; first < count; ) {
      int ref = fromRefs[first];
      int end = ref + fromLengths[first];
      int following = first + 1;
      boolean shared = fromLengths[first] <= Pages.SHARED_ENTRY_BYTES;
      // Shared pages are shorter than their offsets reach, so a run never crosses into another.
      while (shared && following < count && fromRefs[following] == end) {
        end += fromLengths[following++];
      }
      byte[] page = Pages.existing(pages[ref >>> Pages.OFFSET_BITS]);
      out.put(to, page, ref & Pages.OFFSET_MASK, end - ref);
      to += end - ref;
      first = following;
    }
  }

  private boolean expired(byte[] page, int offset) {
    if (!nowKnown) {
      nowMillis = clock.getAsLong();
      nowKnown = true;
    }
    return EntryLayout.expiryMillis(page, offset) <= nowMillis;
  }

  private int measureParts(
      Generation generation, int offered, int maxEntries, int roomBytes, Projection projection) {
    EntryFilter wanted = filter;
    measureAhead(generation, offered);
    int seen = 0;
    for (; seen < offered && entries < maxEntries; seen++) {
      int ref = refs[seen];
      byte[] page = generation.pages.page(ref);
      int offset = Pages.offset(ref);
      if (isHidden(page, offset) != (projection == Projection.EXPIRED)) {
        continue;
      }
      if (wanted != null && !wanted.accepts(page, offset, lengths[seen])) {
        continue;
      }
      int body = partBytes(page, offset, projection);
      int length = body + EntryLayout.vlongBytes((long) body << 1);
      if (length > roomBytes - bytes || length < 0) {
        tooLargeBytes = length;
        break;
      }
      refs[entries] = ref;
      lengths[entries++] = body;
      bytes += length;
    }
    return seen;
  }

  /**
   * The length of an entry's body without its key, or without its value. An entry that has an
   * expiry keeps its key: if it expires on its way, the key is looked up again.
   */
  private static int partBytes(byte[] page, int offset, Projection projection) {
    int body = EntryLayout.bodyOffset(page, offset);
    int key = EntryLayout.keyOffset(page, offset);
    int keyLength = EntryLayout.keyLength(page, offset);
    if (projection == Projection.VALUES && EntryLayout.hasExpiry(page, offset)) {
      return offset + EntryLayout.entryBytes(page, offset) - body;
    }
    if (projection == Projection.VALUES) {
      int afterKeyLength = EntryLayout.skipVlong(page, body);
      int end = offset + EntryLayout.entryBytes(page, offset);
      return 1 + (key - afterKeyLength) + (end - key - keyLength);
    }
    return key + keyLength - body;
  }

  private void copyParts(
      Generation generation, Projection projection, ByteBuffer out, int outIndex) {
    int to = outIndex;
    for (int i = 0; i < entries; i++) {
      byte[] page = generation.pages.page(refs[i]);
      int offset = Pages.offset(refs[i]);
      int bodyBytes = lengths[i];
      to = putHeader(out, to, (bodyBytes << 1) | (page[offset] & 1));
      int body = EntryLayout.bodyOffset(page, offset);
      if (projection != Projection.VALUES || EntryLayout.hasExpiry(page, offset)) {
        out.put(to, page, body, bodyBytes);
        to += bodyBytes;
        continue;
      }
      out.put(to++, (byte) 0); // The key's length.
      int afterKeyLength = EntryLayout.skipVlong(page, body);
      int key = EntryLayout.keyOffset(page, offset);
      out.put(to, page, afterKeyLength, key - afterKeyLength);
      to += key - afterKeyLength;
      int value = key + EntryLayout.keyLength(page, offset);
      int valueBytes = offset + EntryLayout.entryBytes(page, offset) - value;
      out.put(to, page, value, valueBytes);
      to += valueBytes;
    }
  }

  private static int putHeader(ByteBuffer out, int index, int header) {
    int to = index;
    int rest = header;
    while ((rest & ~0x7F) != 0) {
      out.put(to++, (byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put(to++, (byte) rest);
    return to;
  }

  private void rememberPlace(Generation generation, long last, long following) {
    position = generation.position((int) last);
    runKey = null;
    if (following != 0
        && Generation.tagOf(following) == Generation.tagOf(last)
        && generation.position((int) following) == position) {
      runKey = generation.key((int) last);
    }
  }
}
