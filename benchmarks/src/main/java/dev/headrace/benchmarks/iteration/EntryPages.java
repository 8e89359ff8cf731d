package dev.headrace.benchmarks.iteration;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.headrace.benchmarks.harness.Entries;
import java.nio.ByteBuffer;
import java.util.Random;

/**
 * Encoded entries in pages outside the heap, as a store would keep them: two lengths, the key's
 * bytes, the value's bytes. Immutable after construction.
 */
final class EntryPages {

  private static final int PAGE_BYTES_SHIFT = 20;
  private static final int PAGE_BYTES = 1 << PAGE_BYTES_SHIFT;
  private static final int HEADER_BYTES = 2 * Integer.BYTES;
  private static final int SEED = 17;

  private final ByteBuffer[] pages;
  private final int entryBytes;
  private final int[] places; // page and offset of each entry

  EntryPages(Entries entries) {
    entryBytes = HEADER_BYTES + Entries.KEY_CHARS + entries.valueBytes();
    int entriesPerPage = PAGE_BYTES / entryBytes;
    pages = new ByteBuffer[(entries.count() + entriesPerPage - 1) / entriesPerPage];
    places = new int[entries.count()];
    for (int i = 0; i < places.length; i++) {
      int page = i / entriesPerPage;
      if (i % entriesPerPage == 0) {
        pages[page] = ByteBuffer.allocateDirect(PAGE_BYTES);
      }
      places[i] = page << PAGE_BYTES_SHIFT | pages[page].position();
      pages[page]
          .putInt(Entries.KEY_CHARS)
          .putInt(entries.valueBytes())
          .put(entries.key(i).getBytes(ISO_8859_1))
          .put(entries.value(i));
    }
  }

  /** The places of every {@code step}-th entry from {@code first} on, in random order. */
  int[] shuffled(int first, int step) {
    int[] order = new int[(places.length - first + step - 1) / step];
    for (int i = 0; i < order.length; i++) {
      order[i] = places[first + i * step];
    }
    Random random = new Random(SEED + (long) first);
    for (int i = order.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int swapped = order[i];
      order[i] = order[other];
      order[other] = swapped;
    }
    return order;
  }

  /**
   * Copies entries until the target is full.
   *
   * @param order places of entries
   * @param next where to start in the order
   * @return where to go on
   */
  int copy(int[] order, int next, ByteBuffer target) {
    int at = next;
    int position = target.position();
    int end = target.limit() - entryBytes;
    while (position <= end) {
      int place = order[at];
      target.put(position, pages[place >>> PAGE_BYTES_SHIFT], place & (PAGE_BYTES - 1), entryBytes);
      position += entryBytes;
      at = at + 1 == order.length ? 0 : at + 1;
    }
    target.position(position);
    return at;
  }
}
