package dev.headrace.rebalance.placement.hash;

import dev.headrace.api.error.LocatorException;

/** A hash of keys, the same on every machine. Safe for any thread. */
public interface KeyHasher {
  /**
   * The hash of a key's bytes.
   *
   * @throws LocatorException if the key is null
   * @throws IndexOutOfBoundsException if the region is not in the array
   */
  long hash(byte[] key, int offset, int length);

  /**
   * The hash of a text: that of its UTF-8 bytes.
   *
   * @throws LocatorException if the key is null
   */
  long hash(CharSequence key);
}
