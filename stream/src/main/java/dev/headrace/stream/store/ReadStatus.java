package dev.headrace.stream.store;

/** How a read ended. */
public enum ReadStatus {
  /** The budget is used up; more may follow behind the cursor. */
  MORE,
  /** Nothing follows. */
  DONE,
  /** Nothing was copied: the next entry is larger than the room. */
  ENTRY_TOO_LARGE,
  /** Nothing counts: the replica does not serve reads, or ceased to while it was being read. */
  UNREADABLE
}
