package dev.headrace.rebalance.write;

import dev.headrace.rebalance.message.Mutation;
import dev.headrace.rebalance.message.OperationId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one caller's operations on one segment came to, for as long as the caller may repeat them:
 * an array sorted by the caller's number. Guarded by the lane.
 *
 * <p>It forgets what lies below the caller's oldest outstanding number. As every operation brings
 * that number along, a caller that has few operations under way has few results here.
 */
final class CallerResults {

  /** The most results kept; a caller never has that many under way in one segment. */
  static final int MAX_RESULTS = 8192;

  private static final int FIRST_CAPACITY = 4;

  private Result[] results = new Result[FIRST_CAPACITY];
  private int start;
  private int end;
  private long forgottenBelow;

  /**
   * The answer to an operation.
   *
   * @param callerSequence the caller's number for it
   * @param sequence the mutation that carried it out
   */
  @SuppressWarnings("ArrayRecordComponent") // Results are handed over, never compared.
  record Result(
      long callerSequence,
      long sequence,
      boolean applied,
      byte @Nullable [] previous,
      long term,
      long counter,
      long number) {

    static Result of(Mutation mutation) {
      return new Result(
          mutation.id().sequence(),
          mutation.sequence(),
          mutation.applied(),
          mutation.previous(),
          mutation.resultTerm(),
          mutation.resultCounter(),
          mutation.number());
    }
  }

  /** Whether an operation is too old to be told from a repetition. */
  boolean forgotten(long callerSequence) {
    return callerSequence < forgottenBelow;
  }

  @Nullable Result find(long callerSequence) {
    int index = search(callerSequence);
    return index < end && results[index].callerSequence() == callerSequence ? results[index] : null;
  }

  void record(Mutation mutation) {
    OperationId id = mutation.id();
    forgetBelow(id.oldestOutstanding());
    if (end - start == MAX_RESULTS) {
      forgetBelow(results[start].callerSequence() + 1);
    }
    if (id.sequence() < forgottenBelow) {
      return;
    }
    makeRoom();
    int index = search(id.sequence());
    System.arraycopy(results, index, results, index + 1, end - index);
    results[index] = Result.of(mutation);
    end++;
  }

  int size() {
    return end - start;
  }

  private void forgetBelow(long callerSequence) {
    if (callerSequence <= forgottenBelow) {
      return;
    }
    forgottenBelow = callerSequence;
    int index = search(callerSequence);
    Arrays.fill(results, start, index, null);
    start = index;
    if (start == end) {
      start = 0;
      end = 0;
    }
  }

  /** The first index whose result is not below the number. Numbers mostly come in order. */
  private int search(long callerSequence) {
    if (end == start || results[end - 1].callerSequence() < callerSequence) {
      return end;
    }
    int low = start;
    int high = end - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (results[middle].callerSequence() < callerSequence) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private void makeRoom() {
    if (end < results.length) {
      return;
    }
    int size = end - start;
    Result[] target = size > results.length / 2 ? new Result[results.length * 2] : results;
    System.arraycopy(results, start, target, 0, size);
    Arrays.fill(target, size, Math.max(size, target == results ? end : size), null);
    results = target;
    start = 0;
    end = size;
  }
}
