package dev.headrace.stream.entry;

/** What of an entry a read hands over. */
public enum Projection {
  /** Whole entries that have not expired. */
  ENTRIES,
  /** Version, expiry and key of entries that have not expired; the values are empty. */
  KEYS,
  /**
   * Version, expiry and value of entries that have not expired; the keys of those that never expire
   * are empty.
   */
  VALUES,
  /** Whole entries, expired ones too: what another replica needs. */
  REPLICA,
  /** Version, expiry and key of the entries that have expired: what a primary is to remove. */
  EXPIRED;

  /** Whether an entry is handed over as it lies in the store. */
  public boolean whole() {
    return this == ENTRIES || this == REPLICA;
  }
}
