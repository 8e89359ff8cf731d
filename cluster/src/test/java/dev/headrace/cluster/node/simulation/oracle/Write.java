package dev.headrace.cluster.node.simulation.oracle;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One mutation of a key: when it was under way, what it would do, and what it said it did. */
final class Write {
  static final long NEVER = Long.MAX_VALUE;

  /** What it does to the key. */
  enum Kind {
    PUT,
    REMOVE,
    PUT_IF_ABSENT,
    REPLACE_IF_PRESENT,
    REPLACE_IF_EQUAL,
    REMOVE_IF_EQUAL,
    /** All owners were lost. */
    LOSS
  }

  final Kind kind;
  final @Nullable Integer expected;
  final @Nullable Integer value;
  final long startNanos;
  long endNanos = NEVER;
  private boolean refused;
  private boolean applied = true;
  private boolean previousKnown;
  private @Nullable Integer previous;

  Write(Kind kind, @Nullable Integer expected, @Nullable Integer value, long startNanos) {
    this.kind = kind;
    this.expected = expected;
    this.value = value;
    this.startNanos = startNanos;
  }

  /** It was carried out. */
  void acknowledged(long nowNanos) {
    endNanos = nowNanos;
  }

  /** It was carried out, and says whether its condition held. */
  void acknowledged(long nowNanos, boolean nowApplied) {
    endNanos = nowNanos;
    applied = nowApplied;
  }

  /** It says what it found. */
  void found(@Nullable Integer present) {
    previousKnown = true;
    previous = present;
  }

  /** It has had no effect, and never may have. */
  void refused() {
    refused = true;
  }

  boolean isAcknowledged() {
    return endNanos != NEVER && !refused;
  }

  boolean isRefused() {
    return refused;
  }

  boolean mayHaveTakenEffect() {
    return !refused && applied;
  }

  /** Whether it is certain that it has set or removed the key. */
  boolean changed() {
    return isAcknowledged() && applied;
  }

  /** Whether its result fits what it would find. */
  boolean fits(@Nullable Integer present) {
    if (!isAcknowledged()) {
      return true;
    }
    return (!previousKnown || Objects.equals(previous, present)) && applied == holds(present);
  }

  /** What is there after it. */
  @Nullable Integer after(@Nullable Integer present) {
    return holds(present) ? value : present;
  }

  private boolean holds(@Nullable Integer present) {
    return switch (kind) {
      case PUT, LOSS -> true;
      case REMOVE, REPLACE_IF_PRESENT -> present != null;
      case PUT_IF_ABSENT -> present == null;
      case REPLACE_IF_EQUAL, REMOVE_IF_EQUAL -> Objects.equals(present, expected);
    };
  }

  @Override
  public String toString() {
    return kind
        + (expected == null ? " " : " " + expected + "->")
        + value
        + (refused ? " refused " : applied ? " " : " not applied ")
        + (previousKnown ? "found " + previous + " " : "")
        + startNanos
        + ".."
        + (endNanos == NEVER ? "?" : endNanos);
  }
}
