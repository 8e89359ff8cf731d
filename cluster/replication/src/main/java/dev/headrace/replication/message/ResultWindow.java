package dev.headrace.replication.message;

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
public record ResultWindow(NodeId caller, long forgottenBelow, List<Result> results) {
  public ResultWindow {
    results = List.copyOf(results);
  }

  /**
   * The answer to an operation.
   *
   * @param callerSequence the caller's number for it
   * @param sequence the mutation that carried it out
   * @param applied the reply's {@code applied}
   * @param previous the reply's {@code value}
   * @param complete false if the value could not be kept, so that it cannot be told again
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
      boolean complete,
      long term,
      long counter,
      long number) {
    /** About how many bytes a result takes beside its value. */
    private static final int FIXED_BYTES = 64;

    /** About how many bytes it takes. */
    public long approximateBytes() {
      return FIXED_BYTES + (previous == null ? 0L : previous.length);
    }

    /** The same without its value. */
    public Result withoutValue() {
      return new Result(callerSequence, sequence, applied, null, false, term, counter, number);
    }

    /** The result that a mutation brought its caller. */
    public static Result of(Mutation mutation) {
      return new Result(
          mutation.id().sequence(),
          mutation.sequence(),
          mutation.applied(),
          mutation.previous(),
          true,
          mutation.resultTerm(),
          mutation.resultCounter(),
          mutation.number());
    }
  }
}
