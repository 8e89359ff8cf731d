package dev.headrace.stream.store;

/** Whether a replica is complete. {@link Replica} says how it gets from state to state. */
public enum ReplicaState {
  /** Dropped, or never held. */
  ABSENT(0),
  /** Being copied from another node; not complete, and not readable. */
  COPYING(1),
  /** Complete, and readable. */
  OWNER(2);

  private static final ReplicaState[] BY_CODE = {ABSENT, COPYING, OWNER};

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
    return this == OWNER;
  }
}
