package dev.headrace.cluster.cache;

import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.MemoryFullException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.error.TooManyCachesException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.replication.client.OperationFault;

/** Turns failures into typed exceptions. */
public final class Failures {
  private Failures() {}

  /**
   * The exception for a thread that was interrupted while it waited.
   *
   * @param mutation whether it waited for a change of the cache
   */
  static HeadraceException interrupted(String cache, boolean mutation) {
    String where = "The thread was interrupted while it waited for cache \"" + cache + "\"";
    return mutation
        ? new OutcomeUnknownException(
            where
                + "; what it wrote may or may not take effect, and its interrupt flag is set: clear"
                + " the flag and read before writing again",
            FaultScope.ofCache(cache))
        : new HeadraceException(
            where
                + "; nothing was changed, and its interrupt flag is set: clear the flag and read"
                + " again",
            FaultScope.ofCache(cache),
            null);
  }

  /** The exception for a caller who counts: some segments could not be read. */
  static UnavailableException uncounted(StreamInterruptedException cause) {
    String cache = cause.cache();
    UnavailableException unavailable =
        new UnavailableException(
            "The entries cannot be counted ("
                + cause.getMessage()
                + "): try again when that has changed (status tells)",
            new FaultScope(cache, cause.segments(), cause.missingNodes()));
    unavailable.initCause(cause);
    return unavailable;
  }

  /**
   * The exception for a caller.
   *
   * @param fault the reason, and what it is about
   * @param mutation whether the request was to change something
   * @return the exception of the fault's type, with its text and fields, and with what to do
   */
  public static HeadraceException of(OperationFault fault, boolean mutation) {
    String message = fault.message();
    FaultScope scope = fault.scope();
    return switch (fault.failure()) {
      case UNAVAILABLE, OVERLOADED ->
          new UnavailableException(
              message
                  + (mutation ? "; nothing was written" : "")
                  + ": try again when that has changed (status tells)",
              scope);
      case UNKNOWN ->
          new OutcomeUnknownException(
              message + "; the write may or may not have happened: read before writing again",
              scope);
      case WRONG_FORMAT ->
          new CodecException(message + ": open it with the codecs that wrote it", scope);
      case TOO_LARGE ->
          new EntryTooLargeException(
              message + "; nothing was written: write smaller entries or use more segments", scope);
      case TOO_MANY_CACHES ->
          new TooManyCachesException(
              message
                  + ", which is the limit of a cluster; it had no effect: use fewer caches, with"
                  + " keys that tell their entries apart",
              scope);
      case MEMORY_FULL ->
          new MemoryFullException(
              message
                  + "; nothing was written: remove entries, add nodes, or raise memoryBytes (status"
                  + " tells how much each node uses)",
              scope,
              fault.fullNode());
      case CLOSED -> new NodeClosedException(message, scope);
    };
  }
}
