package dev.headrace.api.error;

/**
 * The node was closed, by its user or because its cluster excluded it. A write that was under way
 * may have happened.
 *
 * <p>Start another node, and open the caches there; they are not lost if other nodes hold them.
 */
public final class NodeClosedException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public NodeClosedException(String message) {
    super(message);
  }

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   * @param cause what led to it
   */
  public NodeClosedException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * An exception about something.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   */
  public NodeClosedException(String message, FaultScope scope) {
    super(message, scope, null);
  }
}
