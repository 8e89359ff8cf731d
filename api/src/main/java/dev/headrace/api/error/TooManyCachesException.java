package dev.headrace.api.error;

/** A cache would be one more than a cluster takes; nothing was written. */
public final class TooManyCachesException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public TooManyCachesException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public TooManyCachesException(String message, Throwable cause) {
    super(message, cause);
  }
}
