package dev.headrace.stream.pull;

import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.error.WireException;

/** What becomes of an entry that cannot be decoded. Stateless. */
final class UndecodableEntry {
  private UndecodableEntry() {}

  /**
   * The error that ends a stream; the suppressed one has a resume token.
   *
   * @param cause what the decoder or the codec has thrown
   * @param token the place before the entry's batch
   */
  static HeadraceException failure(Throwable cause, String cache, int segment, String token) {
    String where = "An entry of segment " + segment + " of the cache \"" + cache + '"';
    FaultScope scope = FaultScope.ofSegment(cache, segment);
    HeadraceException failed =
        cause instanceof WireException
            ? new WireException(where + " is damaged: " + cause.getMessage(), cause)
            : new CodecException(
                where
                    + " could not be decoded: "
                    + cause
                    + ". Fix the codec, or remove the entry; the suppressed exception has a resume"
                    + " token that stands before its batch",
                scope,
                cause);
    failed.addSuppressed(
        new StreamInterruptedException(
            "The stream ended within a batch; this token stands before the batch, of which some"
                + " entries may have been handed over",
            scope,
            token,
            null));
    return failed;
  }
}
