package dev.headrace.api.error;

/**
 * A stream could not begin, or not go on with an entry larger than its share, because the node's
 * memory for streams ({@code NodeSettings.streamMemoryBytes}) is used up by others that hold theirs
 * for long. Nothing was lost.
 *
 * <p>Begin it anew when some of the others have ended or go on; {@code ClusterStatus.streamMemory}
 * tells how many there are. If it happens often, raise the setting, or give streams smaller
 * batches.
 */
public final class StreamMemoryException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public StreamMemoryException(String message) {
    super(message);
  }

  /**
   * An exception about something.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   */
  public StreamMemoryException(String message, FaultScope scope) {
    super(message, scope, null);
  }

  /** True: other streams end, or give back what they hold. */
  @Override
  public boolean isRetryable() {
    return true;
  }
}
