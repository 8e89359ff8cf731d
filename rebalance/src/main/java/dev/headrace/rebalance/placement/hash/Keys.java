package dev.headrace.rebalance.placement.hash;

import dev.headrace.api.error.LocatorException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What all hashers ask of a key before they read it. */
final class Keys {
  private Keys() {}

  static void check(byte @Nullable [] key, int offset, int length) {
    if (key == null) {
      throw missing();
    }
    Objects.checkFromIndexSize(offset, length, key.length);
  }

  static void check(@Nullable CharSequence key) {
    if (key == null) {
      throw missing();
    }
  }

  private static LocatorException missing() {
    return new LocatorException(
        "The key is null and belongs to no node; look up a key of at least no bytes");
  }
}
