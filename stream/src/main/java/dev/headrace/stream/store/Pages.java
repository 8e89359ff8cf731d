package dev.headrace.stream.store;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The byte arrays that hold a generation's entries, and the references into them.
 *
 * <p>A reference is {@code page << 18 | offset}. Pages are counted from 1, so 0 is not a reference.
 * The first pages are small, later ones larger; all stay below half a region of the garbage
 * collector, so none is a humongous object. An entry above {@link #SHARED_ENTRY_BYTES} has a page
 * of its own, which is freed when the entry is replaced, and which a rewrite passes on rather than
 * copies.
 *
 * <p>Guarded by the segment's lane. Readers reach it through {@link Generation}.
 */
final class Pages {

  static final int OFFSET_BITS = 18;
  static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;
  static final int MAX_PAGES = 1 << (Integer.SIZE - OFFSET_BITS);

  /** 256 KiB, the array's header included. */
  static final int MAX_PAGE_BYTES = (1 << OFFSET_BITS) - 16;

  /** Entries up to this size share pages. */
  static final int SHARED_ENTRY_BYTES = 1 << 16;

  private static final int FIRST_PAGE_BYTES = 512;
  private static final int MIN_PAGE_BYTES = 1024;
  private static final int GROWTH_SHIFT = 4;

  /** Index 0 stays empty. A full array is replaced by a longer one, never by a shorter. */
  byte[] @Nullable [] pages = new byte[2][];

  private int nextPage = 1;
  private int openPage;
  private int openOffset;
  private int openBytes;
  private long expectedBytes;
  private long reservedBytes;
  private int[] freed = {};
  private int freedCount;

  /**
   * @param expectedBytes how much is about to be appended, 0 if unknown
   */
  Pages(long expectedBytes) {
    this.expectedBytes = expectedBytes;
  }

  /**
   * Reserves room for an entry, and returns a reference to it.
   *
   * @throws IllegalStateException if the segment has used all its pages; nothing has changed then
   */
  int reserve(int entryBytes) {
    if (entryBytes > SHARED_ENTRY_BYTES) {
      return adopt(new byte[entryBytes]);
    }
    if (entryBytes > openBytes - openOffset) {
      openPage(entryBytes);
    }
    int ref = (openPage << OFFSET_BITS) | openOffset;
    openOffset += entryBytes;
    expectedBytes -= entryBytes;
    return ref;
  }

  /** Adds a page that holds one entry. */
  int adopt(byte[] page) {
    return add(page) << OFFSET_BITS;
  }

  private void openPage(int entryBytes) {
    long wish;
    if (expectedBytes > 0) {
      wish = expectedBytes;
    } else if (reservedBytes == 0) {
      wish = FIRST_PAGE_BYTES;
    } else {
      wish = Math.max(Math.max(MIN_PAGE_BYTES, 4L * entryBytes), reservedBytes >> GROWTH_SHIFT);
    }
    int bytes = (int) Math.min(MAX_PAGE_BYTES, Math.max(wish, entryBytes));
    openPage = add(new byte[bytes]);
    openOffset = 0;
    openBytes = bytes;
  }

  private int add(byte[] page) {
    int index;
    if (freedCount > 0) {
      index = freed[--freedCount];
    } else {
      if (nextPage == MAX_PAGES) {
        throw new IllegalStateException(
            "a segment has used all its "
                + (MAX_PAGES - 1)
                + " pages ("
                + reservedBytes
                + " bytes); use a cache with more segments");
      }
      index = nextPage++;
      if (index == pages.length) {
        byte[] @Nullable [] longer =
            Arrays.copyOf(pages, Math.min(MAX_PAGES, index + Math.max(2, index >> 1)));
        VarHandle.storeStoreFence(); // No lock is held: readers see all of it, or none.
        pages = longer;
      }
    }
    pages[index] = page;
    reservedBytes += page.length;
    return index;
  }

  /** Frees the page of an entry that has one of its own. */
  void free(int ref) {
    int index = ref >>> OFFSET_BITS;
    byte[] page = pages[index];
    if (page != null) {
      reservedBytes -= page.length;
    }
    pages[index] = null;
    if (freedCount == freed.length) {
      freed = Arrays.copyOf(freed, Math.max(4, freedCount * 2));
    }
    freed[freedCount++] = index;
  }

  byte[] page(int ref) {
    return existing(pages[ref >>> OFFSET_BITS]);
  }

  /** Returns a page, or throws if it is missing, as a racing reader may find. */
  static byte[] existing(byte @Nullable [] page) {
    if (page == null) {
      throw new IndexOutOfBoundsException("a page is missing");
    }
    return page;
  }

  static int offset(int ref) {
    return ref & OFFSET_MASK;
  }

  /** The bytes of all arrays, headers and unused room included. */
  long heapBytes() {
    return reservedBytes + 16L * nextPage + 16 + 4L * pages.length + 16 + 4L * freed.length + 64;
  }
}
