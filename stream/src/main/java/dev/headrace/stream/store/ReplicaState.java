package dev.headrace.stream.store;

/** What a replica is good for. */
public enum ReplicaState {
  /** Dropped, or never held. */
  ABSENT,
  /** Being filled; not complete, and not readable. */
  FILLING,
  /** Complete. */
  OWNER,
  /** Complete, and its writes are stopped for a hand-over. */
  FENCED;

  /** Whether reads are served in this state. */
  public boolean readable() {
    return this == OWNER || this == FENCED;
  }
}
