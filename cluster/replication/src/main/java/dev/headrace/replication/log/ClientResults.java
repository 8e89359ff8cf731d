package dev.headrace.replication.log;

import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.message.ResultWindow;
import dev.headrace.replication.message.ResultWindow.Result;
import dev.headrace.stream.NodeId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one caller's operations on one segment came to, for as long as the caller may repeat them:
 * an array sorted by the caller's number. Guarded by the lane.
 *
 * <p>It forgets what lies below the caller's oldest outstanding number. As every operation brings
 * that number along, and {@link dev.headrace.replication.message.ResultsReceived} where none comes,
 * a caller that has few operations under way has few results here.
 */
final class ClientResults {

  /** The most results kept; a caller never has that many under way in one segment. */
  static final int MAX_RESULTS = 8192;

  private static final int FIRST_CAPACITY = 4;

  /** A longer array is given up when it is empty. */
  private static final int KEPT_CAPACITY = 64;

  private final ResultMemory memory;
  private Result[] results = new Result[FIRST_CAPACITY];
  private int start;
  private int end;
  private long forgottenBelow;

  /** Whether the caller was no member when somebody looked last. */
  private boolean stranger;

  /**
   * @param memory counts what is kept
   */
  ClientResults(ResultMemory memory) {
    this.memory = memory;
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
    add(Result.of(mutation));
  }

  private void add(Result result) {
    long number = result.callerSequence();
    if (number < forgottenBelow || find(number) != null) {
      return;
    }
    Result kept = fitting(result);
    makeRoom();
    int index = search(number);
    System.arraycopy(results, index, results, index + 1, end - index);
    results[index] = kept;
    end++;
  }

  /**
   * Takes memory for a result: if there is too little, without its value, and then in the place of
   * older ones.
   */
  private Result fitting(Result result) {
    Result kept = result;
    while (!memory.take(kept.approximateBytes())) {
      if (kept.previous() != null) {
        kept = kept.withoutValue();
      } else if (start < end && results[start].callerSequence() < kept.callerSequence()) {
        forgetBelow(results[start].callerSequence() + 1);
      } else {
        memory.takeAnyway(kept.approximateBytes());
        break;
      }
    }
    return kept;
  }

  /** Learns what another owner remembers. */
  void merge(ResultWindow window) {
    forgetBelow(window.forgottenBelow());
    for (Result result : window.results()) {
      add(result);
    }
  }

  /**
   * What is remembered, without the oldest if there is too much.
   *
   * @param maxBytes about how many bytes may be occupied by the results
   */
  ResultWindow window(NodeId caller, long maxBytes) {
    int first = end;
    for (long bytes = 0; first > start; first--) {
      bytes += results[first - 1].approximateBytes();
      if (bytes > maxBytes) {
        break;
      }
    }
    long below = first == start ? forgottenBelow : results[first - 1].callerSequence() + 1;
    return new ResultWindow(caller, below, Arrays.asList(results).subList(first, end));
  }

  /** Takes note of whether the caller is a member; true if it was none the last time, too. */
  boolean staysStranger(boolean member) {
    boolean before = stranger;
    stranger = !member;
    return before && stranger;
  }

  int size() {
    return end - start;
  }

  /** Forgets everything, as if nothing had ever come. */
  void clear() {
    forgetBelow(Long.MAX_VALUE);
    forgottenBelow = 0;
  }

  /** Forgets what the caller does not wait for any more. */
  void forgetBelow(long callerSequence) {
    if (callerSequence <= forgottenBelow) {
      return;
    }
    forgottenBelow = callerSequence;
    int index = search(callerSequence);
    for (int i = start; i < index; i++) {
      memory.giveBack(results[i].approximateBytes());
    }
    Arrays.fill(results, start, index, null);
    start = index;
    if (start == end) {
      start = 0;
      end = 0;
      results = results.length > KEPT_CAPACITY ? new Result[FIRST_CAPACITY] : results;
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
