package dev.headrace.stream.change;

import org.jspecify.annotations.Nullable;

/** What a mutation did to a key, or to a whole segment. The order is the wire's. */
public enum ChangeKind {
  CREATED,
  UPDATED,
  REMOVED,
  EXPIRED,
  /** All keys of the segment were removed. */
  CLEARED;

  private static final ChangeKind[] ALL = values();

  /** The kind of a number; null if there is none. */
  static @Nullable ChangeKind of(int ordinal) {
    return ordinal < ALL.length ? ALL[ordinal] : null;
  }

  /** Whether the key has a value now. */
  public boolean hasValue() {
    return this == CREATED || this == UPDATED;
  }
}
