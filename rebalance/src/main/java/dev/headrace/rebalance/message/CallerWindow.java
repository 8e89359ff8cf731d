package dev.headrace.rebalance.message;

import dev.headrace.stream.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one caller's latest operations on a segment came to.
 *
 * @param caller the caller
 * @param forgottenBelow operations with smaller numbers cannot be told from repetitions any more
 * @param results the others that were carried out, in the order of the caller's numbers
 */
public record CallerWindow(NodeId caller, long forgottenBelow, List<Result> results) {

  /** Copies the list. */
  public CallerWindow {
    results = List.copyOf(results);
  }

  /**
   * The answer to an operation.
   *
   * @param callerSequence the caller's number for it
   * @param sequence the mutation that carried it out
   * @param applied the reply's {@code applied}
   * @param previous the reply's {@code value}
   * @param term the reply's {@code versionTerm}
   * @param counter the reply's {@code versionCounter}
   * @param number the reply's {@code number}
   */
  @SuppressWarnings("ArrayRecordComponent") // Results are handed over, never compared.
  public record Result(
      long callerSequence,
      long sequence,
      boolean applied,
      byte @Nullable [] previous,
      long term,
      long counter,
      long number) {

    /** The result that a mutation brought its caller. */
    public static Result of(Mutation mutation) {
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
}
