package dev.headrace.stream.protocol;

import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.stream.Ownership;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Why an exactly-once stream cannot go on.
 *
 * @param segments all segments that cannot be read
 * @param reason what happened to the first of them
 * @param cause what its owners answered last, if that is known
 */
record Loss(BitSet segments, String reason, @Nullable Throwable cause) {

  /** The error that the stream ends with, once everything received was handed over. */
  StreamInterruptedException interruption(String cache, long epoch, String token) {
    StreamInterruptedException interruption =
        new StreamInterruptedException(
            "The stream of \""
                + cache
                + "\" cannot go on exactly once: "
                + reason
                + " at epoch "
                + text(epoch)
                + "; segments that cannot be read: "
                + segments
                + ". What was handed over is correct, and resumeToken() stands for the rest: resume"
                + " from it when the owners are back, begin anew, or use AT_MOST_ONCE to leave such"
                + " segments out",
            segments.stream().boxed().toList(),
            token);
    if (cause != null) {
      interruption.initCause(cause);
    }
    return interruption;
  }

  private static String text(long epoch) {
    long count = epoch & ((1L << Ownership.EPOCH_COUNT_BITS) - 1);
    return (epoch >>> Ownership.EPOCH_NUMBER_BITS) + "." + count;
  }
}
