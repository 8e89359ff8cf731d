package dev.headrace.stream.store;

/** What a replica is good for. */
public enum ReplicaState {
  /** Dropped, or never held. */
  ABSENT(0),
  /** Being filled; not complete, and not readable. */
  COPYING(1),
  /** Complete. */
  OWNER(2),
  /** Complete, and its writes are stopped for a hand-over. */
  FENCED(3);

  private static final ReplicaState[] BY_CODE = {ABSENT, COPYING, OWNER, FENCED};

  /** The state in two bits. */
  final int code;

  ReplicaState(int code) {
    this.code = code;
  }

  static ReplicaState of(int code) {
    return BY_CODE[code];
  }

  /** Whether reads are served in this state. */
  public boolean readable() {
    return this == OWNER || this == FENCED;
  }
}
