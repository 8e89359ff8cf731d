package dev.headrace.stream.protocol;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.stream.Ownership;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why an exactly-once stream cannot continue.
 *
 * @param segments all segments that cannot be read
 * @param reason what happened to the segment that ended the stream
 * @param missingNodes the names of the nodes that are missing, as far as they are known
 * @param cause the last failure of its owners, if known
 */
record Loss(
    BitSet segments, String reason, Collection<String> missingNodes, @Nullable Throwable cause) {

  /** The error that ends the stream after all that was received has been handed over. */
  StreamInterruptedException interruption(String cache, long epoch, String token) {
    return new StreamInterruptedException(
        "The stream of \""
            + cache
            + "\" cannot continue exactly once: "
            + reason
            + " at epoch "
            + text(epoch)
            + "; segments that cannot be read: "
            + segments
            + ". What was handed over is correct, and resumeToken() stands for the rest: resume"
            + " from it when the owners are back, begin anew, or use AT_MOST_ONCE to skip such"
            + " segments",
        new FaultScope(cache, segments.stream().boxed().toList(), List.copyOf(missingNodes)),
        token,
        cause);
  }

  private static String text(long epoch) {
    long count = epoch & ((1L << Ownership.EPOCH_COUNT_BITS) - 1);
    return (epoch >>> Ownership.EPOCH_NUMBER_BITS) + "." + count;
  }
}
