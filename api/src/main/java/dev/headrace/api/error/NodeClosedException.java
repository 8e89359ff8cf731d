package dev.headrace.api.error;

/** The node was closed, by its user or because its cluster excluded it. */
public final class NodeClosedException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public NodeClosedException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public NodeClosedException(String message, Throwable cause) {
    super(message, cause);
  }
}
