package dev.headrace.stream.store;

import dev.headrace.stream.entry.EntryLayout;

/**
 * The limits of a store.
 *
 * @param maxEntryBytes the most bytes that one entry may take in {@link EntryLayout}
 */
public record StoreLimits(int maxEntryBytes) {

  /** Entries of up to 16 MiB. */
  public static final StoreLimits DEFAULT = new StoreLimits(16 << 20);

  public StoreLimits {
    if (maxEntryBytes < 1 || maxEntryBytes > EntryLayout.MAX_ENTRY_BYTES) {
      throw new IllegalArgumentException(
          "maxEntryBytes is " + maxEntryBytes + "; use 1 to " + EntryLayout.MAX_ENTRY_BYTES);
    }
  }
}
