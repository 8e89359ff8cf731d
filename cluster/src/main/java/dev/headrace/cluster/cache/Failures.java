package dev.headrace.cluster.cache;

import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.rebalance.write.caller.Failure;

/** Makes typed exceptions of failures. */
final class Failures {
  private Failures() {}

  static HeadraceException of(Failure failure, String message) {
    return switch (failure) {
      case UNAVAILABLE, OVERLOADED ->
          new UnavailableException(
              message + "; it had no effect: try again when its owners are back (status tells)");
      case UNKNOWN ->
          new OutcomeUnknownException(
              message + "; the write may or may not have happened: read before writing again");
      case WRONG_FORMAT ->
          new CodecException(
              message + "; it had no effect: open the cache with the codecs that wrote it");
      case TOO_LARGE ->
          new EntryTooLargeException(
              message + "; nothing was written: write smaller entries or use more segments");
      case CLOSED -> new NodeClosedException(message);
    };
  }
}
