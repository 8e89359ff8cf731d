package dev.headrace.stream.entry;

/** Which entries a read returns, and which parts of them. */
public enum Projection {
  /** Whole entries that have not expired. */
  ENTRIES,
  /** Entries that have not expired, with empty values. */
  KEYS,
  /** Entries that have not expired. An entry that never expires has an empty key. */
  VALUES,
  /** Whole entries, expired ones included: what another replica needs. */
  REPLICA,
  /** Entries that have expired, with empty values: what a primary has to remove. */
  EXPIRED,
  /** Nothing of the entries that have not expired: they are only counted. */
  NOTHING;

  /** Whether a stream may ask for it. */
  public boolean isForStreams() {
    return this == ENTRIES || this == KEYS || this == VALUES;
  }

  /** Whether an entry is returned exactly as it lies in the store. */
  public boolean whole() {
    return this == ENTRIES || this == REPLICA;
  }
}
