package dev.headrace.api.error;

/**
 * An operation was refused and has had no effect: its segment has no living owner, or too few, or
 * the node's part of the cluster must not go on alone.
 */
public final class UnavailableException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public UnavailableException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public UnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
