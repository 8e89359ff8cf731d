package dev.headrace.stream.store;

/** How a read ended. */
public enum ReadStatus {
  /** The budget is used up; more entries may follow behind the cursor. */
  MORE,
  /** Nothing follows. */
  DONE,
  /** Nothing was copied, because the next entry is larger than the room. */
  ENTRY_TOO_LARGE,
  /** Nothing counts, because the replica is not readable, or became unreadable during the read. */
  UNREADABLE
}
