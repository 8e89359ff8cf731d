package dev.headrace.http.entity;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Selects the entries with the smallest keys behind a bound, as many as fit into some bytes. Keys
 * are compared as unsigned bytes, which for UTF-8 is the order of code points. For one thread.
 */
final class SmallestKeys {
  /** The heap that an entry takes beyond its key and value. */
  private static final int OVERHEAD_BYTES = 96;

  private static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

  private final TreeMap<byte[], byte[]> selected = new TreeMap<>(ORDER);
  private final long budgetBytes;
  private final byte[] from;
  private final boolean fromInclusive;
  private final byte @Nullable [] end;
  private long usedBytes;
  private boolean complete = true;

  /**
   * An empty selection.
   *
   * @param budgetBytes what it may take; a single entry may take more
   * @param from where the keys begin
   * @param fromInclusive whether {@code from} itself counts
   * @param end where they end, itself excluded; null for nowhere
   */
  SmallestKeys(long budgetBytes, byte[] from, boolean fromInclusive, byte @Nullable [] end) {
    this.budgetBytes = budgetBytes;
    this.from = from;
    this.fromInclusive = fromInclusive;
    this.end = end;
  }

  /** Takes an entry if it is among the smallest so far. */
  void offer(byte[] key, byte[] value) {
    int order = ORDER.compare(key, from);
    if (order < 0
        || (order == 0 && !fromInclusive)
        || (end != null && ORDER.compare(key, end) >= 0)) {
      return;
    }
    if (!complete && ORDER.compare(key, selected.lastKey()) > 0) {
      return; // one that is smaller was given up already
    }
    byte[] before = selected.put(key, value);
    usedBytes += bytes(key, value) - (before == null ? 0 : bytes(key, before));
    while (usedBytes > budgetBytes && selected.size() > 1) {
      Map.Entry<byte[], byte[]> largest = selected.pollLastEntry();
      usedBytes -= bytes(largest.getKey(), largest.getValue());
      complete = false;
    }
  }

  private static long bytes(byte[] key, byte[] value) {
    return (long) key.length + value.length + OVERHEAD_BYTES;
  }

  /** Whether nothing that was offered had to be left out. */
  boolean isComplete() {
    return complete;
  }

  /** The largest key that was selected; null if there is none. */
  byte @Nullable [] last() {
    return selected.isEmpty() ? null : selected.lastKey();
  }

  /** The entries in the order of their keys. */
  Iterator<Map.Entry<byte[], byte[]>> iterator() {
    return selected.entrySet().iterator();
  }
}
