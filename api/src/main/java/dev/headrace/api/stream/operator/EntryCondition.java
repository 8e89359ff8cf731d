package dev.headrace.api.stream.operator;

import java.util.List;
import java.util.Objects;

/**
 * Which entries are wanted, as data. Made of {@link Operand}s; immutable.
 *
 * <p>There are two truth values: a comparison with null is false, so its {@link #not} is true.
 */
public sealed interface EntryCondition {

  /** How two values relate. */
  enum Relation {
    EQUAL,
    UNEQUAL,
    LESS,
    AT_MOST,
    GREATER,
    AT_LEAST
  }

  /** This and the other. */
  default EntryCondition and(EntryCondition other) {
    return new All(List.of(this, other));
  }

  /** This or the other, or both. */
  default EntryCondition or(EntryCondition other) {
    return new Any(List.of(this, other));
  }

  /** Not this. */
  default EntryCondition not() {
    return new Negation(this);
  }

  /** A part compared with a constant. */
  record Comparison(Operand operand, Relation relation, Object constant)
      implements EntryCondition {}

  /** A part that is one of some constants. */
  record Membership(Operand operand, List<Object> constants) implements EntryCondition {

    /** Copies the list. */
    public Membership {
      constants = List.copyOf(constants);
    }
  }

  /**
   * A string or byte array that begins with another.
   *
   * @param prefix a {@link String} or a {@code byte[]}
   */
  record Prefix(Operand operand, Object prefix) implements EntryCondition {

    /** Checks the type. */
    public Prefix {
      if (!(prefix instanceof String || prefix instanceof byte[])) {
        throw new IllegalArgumentException(
            "A prefix is a String or a byte[], but this one is a " + prefix.getClass().getName());
      }
    }
  }

  /** A part that is null. */
  record Absence(Operand operand) implements EntryCondition {}

  /** All of these; true if there are none. */
  record All(List<EntryCondition> conditions) implements EntryCondition {

    /** Copies the list. */
    public All {
      conditions = List.copyOf(conditions);
    }
  }

  /** Any of these; false if there are none. */
  record Any(List<EntryCondition> conditions) implements EntryCondition {

    /** Copies the list. */
    public Any {
      conditions = List.copyOf(conditions);
    }
  }

  /** Not this. */
  record Negation(EntryCondition condition) implements EntryCondition {

    /** Checks for null. */
    public Negation {
      Objects.requireNonNull(condition, "condition");
    }
  }
}
