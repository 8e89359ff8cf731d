package dev.headrace.replication.role;

import dev.headrace.replication.message.EncodedEntries;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Mutation.Change;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.stream.entry.EncodedEntry;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.store.Replica;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an operation on several entries does to the present content. What it decides is
 * replicated, as {@link ConditionEvaluator} says, in the bytes that the operation has brought.
 */
final class EntriesEvaluator {
  private static final byte[] NO_KEY = {};

  private final Operation operation;
  private final byte[] bytes;
  private final EncodedEntries entries;
  private final long[] positions;

  /**
   * @throws IllegalArgumentException if the entries are not of the segment, or not in its order
   */
  EntriesEvaluator(Operation operation, HashSpace space, int segment) {
    this.operation = operation;
    this.bytes = Objects.requireNonNull(operation.value(), "entries");
    this.entries = new EncodedEntries(bytes);
    this.positions = entries.positions(space, segment);
  }

  /** Whether the store takes entries of this size. */
  boolean fit(int maxEntryBytes, long term, long first) {
    for (int i = 0; i < positions.length; i++) {
      if (entries.entry(i).bytes(term, first + i) > maxEntryBytes) {
        return false;
      }
    }
    return true;
  }

  /**
   * The mutation that carries the operation out as the next steps of the history: as many as there
   * are entries, or one if none is put.
   */
  Mutation decide(Replica replica, long term, long first) {
    int count = positions.length;
    byte[] left = operation.kind() == Kind.PUT_ALL_IF_ABSENT ? left(replica) : null;
    boolean any = left == null || leavesAny(left);
    return new Mutation(
        term,
        any ? first + count - 1 : first,
        operation.id(),
        any ? Change.PUT_ALL : Change.NONE,
        NO_KEY,
        any ? bytes : null,
        0,
        any,
        left,
        any ? term : 0,
        any ? first : 0,
        count);
  }

  /** Those whose keys are present; what has expired is not. */
  private byte @Nullable [] left(Replica replica) {
    byte[] left = null;
    for (int i = 0; i < positions.length; i++) {
      EncodedEntry entry = entries.entry(i);
      if (replica.contains(positions[i], entry.key(), entry.keyOffset(), entry.keyLength())) {
        left = left == null ? EncodedEntries.noneLeft(positions.length) : left;
        EncodedEntries.leave(left, i);
      }
    }
    return left;
  }

  private boolean leavesAny(byte[] left) {
    for (int i = 0; i < positions.length; i++) {
      if (!EncodedEntries.isLeft(left, i)) {
        return true;
      }
    }
    return false;
  }
}
