package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.cluster.node.simulation.SimulatedTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One mutation of a key: when it was under way, what it would do, and what it said it did. */
final class Write {
  static final long NEVER = Long.MAX_VALUE;

  /** By so much nodes may differ about when an entry has expired. */
  static final long TOLERANCE_NANOS = 200 * SimulatedTime.MILLI;

  /** What it does to the key. */
  enum Kind {
    PUT,
    REMOVE,
    PUT_IF_ABSENT,
    REPLACE_IF_PRESENT,
    REPLACE_IF_EQUAL,
    REMOVE_IF_EQUAL,
    /** One of the removes that make up the removal of everything. */
    CLEAR,
    /** The lifespan of what another write has put is over. */
    EXPIRY,
    /** All owners were lost. */
    LOSS
  }

  final Kind kind;
  final @Nullable Integer expected;
  final @Nullable Integer value;
  final long startNanos;
  long endNanos = NEVER;
  private String by = "";
  private int segment = -1;
  private boolean refused;
  private boolean applied = true;
  private boolean byVersion;
  private boolean previousKnown;
  private @Nullable Integer previous;
  private final List<Write> repetitions = new ArrayList<>();
  private boolean repetition;

  Write(Kind kind, @Nullable Integer expected, @Nullable Integer value, long startNanos) {
    this.kind = kind;
    this.expected = expected;
    this.value = value;
    this.startNanos = startNanos;
  }

  /** The end of what a write puts that begins now, by any node's clock. */
  static Write expiry(int value, long nowNanos, long lifespanNanos) {
    return new Write(Kind.EXPIRY, value, null, nowNanos + lifespanNanos - TOLERANCE_NANOS);
  }

  /** When it was certain that the write whose effect this ends had been carried out. */
  void follows(long acknowledgedNanos) {
    endNanos = Math.max(startNanos + TOLERANCE_NANOS, acknowledgedNanos) + TOLERANCE_NANOS;
  }

  /**
   * The same write once more: a loss takes the results of operations along, so what is under way
   * then may have been carried out already, and be carried out again when it is repeated.
   */
  Write repeated() {
    Write again = new Write(kind, expected, value, startNanos).of(by, segment);
    again.byVersion = byVersion;
    again.repetition = true;
    repetitions.add(again);
    return again;
  }

  /** Whether it may have been carried out beside another one, and need not have been. */
  boolean isRepetition() {
    return repetition;
  }

  /** It was carried out. */
  void acknowledged(long nowNanos) {
    endNanos = nowNanos;
    repetitions.forEach(again -> again.endNanos = nowNanos);
  }

  /** It was carried out, and says whether its condition held. */
  void acknowledged(long nowNanos, boolean nowApplied) {
    acknowledged(nowNanos);
    applied = nowApplied;
  }

  /** It says what it found. */
  void found(@Nullable Integer present) {
    previousKnown = true;
    previous = present;
  }

  /** Who sent it, and to which segment. */
  Write of(String sender, int itsSegment) {
    by = sender;
    segment = itsSegment;
    return this;
  }

  /**
   * It compares versions instead of values. So it may not apply although the value is as expected,
   * if that is of a write which a failure had undone, and which was sent again.
   */
  Write byVersion() {
    byVersion = true;
    return this;
  }

  /** The segment that it is of, negative if it is of all. */
  int segment() {
    return segment;
  }

  /** It has had no effect, and never may have. */
  void refused() {
    refused = true;
    repetitions.forEach(Write::refused);
  }

  boolean isAcknowledged() {
    return endNanos != NEVER && !refused && !repetition;
  }

  /** Whether its sender waits for an answer, or has given up waiting. */
  boolean isUnderWay() {
    boolean sent = kind != Kind.LOSS && kind != Kind.EXPIRY;
    return sent && endNanos == NEVER && !refused && !repetition;
  }

  boolean isRefused() {
    return refused;
  }

  /** Also one that says that it has not applied: it may have, before a failure undid it. */
  boolean mayHaveTakenEffect() {
    return !refused;
  }

  /** Whether it is certain that it has set or removed the key, where another one had left it. */
  boolean changed(Write other) {
    boolean concerns = kind != Kind.EXPIRY || Objects.equals(expected, other.value);
    return isAcknowledged() && applied && concerns;
  }

  /** Whether it has to be put in order where this is there: the end of another value need not. */
  boolean concerns(@Nullable Integer present) {
    return kind != Kind.EXPIRY || Objects.equals(expected, present);
  }

  /** What it says it found; empty if it says nothing, or found nothing. */
  Optional<Integer> previous() {
    return Optional.ofNullable(previous);
  }

  /**
   * Whether it may need that anything is there, whatever it is. What a failure undoes need not have
   * found what the result of a repetition tells.
   */
  boolean asksForAny() {
    if (!isAcknowledged()) {
      return kind == Kind.REPLACE_IF_PRESENT;
    }
    return switch (kind) {
      case PUT, LOSS, CLEAR, EXPIRY -> false;
      case REPLACE_IF_PRESENT -> true;
      case REMOVE -> applied && !previousKnown;
      case PUT_IF_ABSENT, REPLACE_IF_EQUAL, REMOVE_IF_EQUAL -> !applied && !previousKnown;
    };
  }

  /** Whether what is there after it does not depend on what was there before. */
  boolean isUnconditional() {
    return switch (kind) {
      case PUT, REMOVE, LOSS, CLEAR -> true;
      case PUT_IF_ABSENT, REPLACE_IF_PRESENT, REPLACE_IF_EQUAL, REMOVE_IF_EQUAL, EXPIRY -> false;
    };
  }

  /** Whether it fits only some of what it might find. */
  boolean depends() {
    return previousKnown || !isUnconditional();
  }

  /** Whether its result fits what it would find. */
  boolean fits(@Nullable Integer present) {
    if (!isAcknowledged() || kind == Kind.EXPIRY || leavesAll()) {
      return true;
    }
    return (!previousKnown || Objects.equals(previous, present)) && applied == holds(present);
  }

  /** What is there after it. */
  @Nullable Integer after(@Nullable Integer present) {
    return holds(present) && !leavesAll() ? value : present;
  }

  /** The same where a failure undoes it: its result may be that of another time. */
  @Nullable Integer afterUndone(@Nullable Integer present) {
    return holds(present) ? value : present;
  }

  /** Whether another version than the expected one may have kept it from taking effect. */
  private boolean leavesAll() {
    return byVersion && isAcknowledged() && !applied;
  }

  private boolean holds(@Nullable Integer present) {
    return switch (kind) {
      case PUT, LOSS, CLEAR -> true;
      case REMOVE, REPLACE_IF_PRESENT -> present != null;
      case PUT_IF_ABSENT -> present == null;
      case REPLACE_IF_EQUAL, REMOVE_IF_EQUAL, EXPIRY -> Objects.equals(present, expected);
    };
  }

  @Override
  public String toString() {
    return kind
        + (repetition ? " again" : "")
        + (by.isEmpty() ? "" : " of " + by)
        + (expected == null ? " " : " " + expected + "->")
        + value
        + (refused ? " refused " : applied ? " " : " not applied ")
        + (previousKnown ? "found " + previous + " " : "")
        + startNanos
        + ".."
        + (endNanos == NEVER ? "?" : endNanos);
  }
}
