package dev.headrace.api.error;

/** A resume token is damaged, foreign or outdated. */
public final class ResumeTokenException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public ResumeTokenException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public ResumeTokenException(String message, Throwable cause) {
    super(message, cause);
  }
}
