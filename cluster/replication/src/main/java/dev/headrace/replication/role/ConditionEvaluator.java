package dev.headrace.replication.role;

import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Mutation.Change;
import dev.headrace.replication.message.Operation;
import dev.headrace.stream.entry.StoredEntry;
import dev.headrace.stream.store.Replica;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an operation does to the present content: only the primary asks, and what it decides
 * is replicated, so that expiry and conditions come out alike on every owner.
 */
final class ConditionEvaluator {

  private ConditionEvaluator() {}

  /**
   * The mutation that carries an operation out as the next step of the history; an entry that has
   * expired counts as absent.
   *
   * @param position the key's position in the segment
   */
  static Mutation conditions(
      Operation operation, Replica replica, long position, long term, long sequence) {
    if (operation.kind() == Operation.Kind.CLEAR) {
      return clearing(operation, replica, term, sequence);
    }
    byte[] key = operation.key();
    // The most common kind needs to know nothing about what was there.
    boolean blind = operation.kind() == Operation.Kind.PUT && !operation.wantPrevious();
    StoredEntry present = blind ? null : replica.find(position, key);
    Change change = blind || holds(operation, present) ? changeOf(operation.kind()) : Change.NONE;
    boolean put = change == Change.PUT;
    StoredEntry untouched = change == Change.NONE ? present : null;
    StoredEntry told = operation.wantPrevious() && !isKnown(operation, change) ? present : null;
    long resultTerm = put ? term : untouched == null ? 0 : untouched.term();
    long resultCounter = put ? sequence : untouched == null ? 0 : untouched.counter();
    return new Mutation(
        term,
        sequence,
        operation.id(),
        change,
        key,
        put ? operation.value() : null,
        put ? operation.expiryMillis() : 0,
        change != Change.NONE,
        told == null ? null : told.value(),
        resultTerm,
        resultCounter,
        untouched == null ? 0 : untouched.expiryMillis());
  }

  /** Whether the caller must know what was there, since it named the version: why send it back? */
  private static boolean isKnown(Operation operation, Change change) {
    return change != Change.NONE
        && (operation.kind() == Operation.Kind.REPLACE_IF_VERSION
            || operation.kind() == Operation.Kind.REMOVE_IF_VERSION);
  }

  private static Mutation clearing(Operation operation, Replica replica, long term, long sequence) {
    long entries = replica.entries();
    return new Mutation(
        term,
        sequence,
        operation.id(),
        entries > 0 ? Change.CLEAR : Change.NONE,
        operation.key(),
        null,
        0,
        entries > 0,
        null,
        0,
        0,
        entries);
  }

  private static boolean holds(Operation operation, @Nullable StoredEntry present) {
    return switch (operation.kind()) {
      case PUT -> true;
      case PUT_IF_ABSENT -> present == null;
      case REPLACE, REMOVE -> present != null;
      case REPLACE_IF_EQUAL, REMOVE_IF_EQUAL -> {
        byte[] expected = Objects.requireNonNull(operation.expected(), "expected value");
        yield present != null && Arrays.equals(present.value(), expected);
      }
      case REPLACE_IF_VERSION, REMOVE_IF_VERSION -> {
        long term = present == null ? 0 : present.term();
        long counter = present == null ? 0 : present.counter();
        yield term == operation.versionTerm() && counter == operation.versionCounter();
      }
      case GET, CLEAR, PUT_ALL, PUT_ALL_IF_ABSENT, PROCESS ->
          throw new IllegalArgumentException(operation.kind() + " has no condition");
    };
  }

  private static Change changeOf(Operation.Kind kind) {
    return kind.writesValue() ? Change.PUT : Change.REMOVE;
  }
}
