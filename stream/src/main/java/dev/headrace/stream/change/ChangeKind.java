package dev.headrace.stream.change;

import org.jspecify.annotations.Nullable;

/** What a mutation did to a key, or to a whole segment. */
public enum ChangeKind {
  CREATED(0),
  UPDATED(1),
  REMOVED(2),
  EXPIRED(3),
  /** All keys of the segment were removed. */
  CLEARED(4);

  private static final ChangeKind[] ALL = values();

  private final int code;

  ChangeKind(int code) {
    this.code = code;
  }

  /** Its number on the wire and where changes are retained. */
  int code() {
    return code;
  }

  /** The kind of a number; null if there is none. */
  static @Nullable ChangeKind of(int code) {
    return code < ALL.length ? ALL[code] : null;
  }

  /** Whether the key has a value now. */
  public boolean hasValue() {
    return this == CREATED || this == UPDATED;
  }
}
