package dev.headrace.api.error;

/** A write was sent, but its outcome did not arrive in time: it may or may not have happened. */
public final class OutcomeUnknownException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public OutcomeUnknownException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public OutcomeUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
