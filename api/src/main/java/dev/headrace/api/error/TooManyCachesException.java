package dev.headrace.api.error;

/**
 * A cache would be one more than a cluster takes; nothing was written. Keep what belongs together
 * in one cache, under keys that tell it apart.
 */
public final class TooManyCachesException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public TooManyCachesException(String message) {
    super(message);
  }

  /**
   * An exception about something.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   */
  public TooManyCachesException(String message, FaultScope scope) {
    super(message, scope, null);
  }
}
