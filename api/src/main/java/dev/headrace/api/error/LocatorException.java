package dev.headrace.api.error;

/**
 * A node locator was given nodes, weights or keys that it cannot work with; nothing changed. Give
 * it what the message asks for.
 */
public final class LocatorException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public LocatorException(String message) {
    super(message);
  }

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   * @param cause what led to it
   */
  public LocatorException(String message, Throwable cause) {
    super(message, cause);
  }
}
