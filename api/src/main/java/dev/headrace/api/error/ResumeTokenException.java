package dev.headrace.api.error;

/**
 * A resume token is damaged, belongs to another cluster, cache or choice of keys, or has outlived
 * its data. Use it where it comes from, or begin the stream anew.
 */
public final class ResumeTokenException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public ResumeTokenException(String message) {
    super(message);
  }

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   * @param cause what led to it
   */
  public ResumeTokenException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * An exception about something.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   */
  public ResumeTokenException(String message, FaultScope scope) {
    super(message, scope, null);
  }
}
