package dev.headrace.api.error;

/**
 * A placement of segments is unknown, has an impossible bound, or gives rows that no cluster can
 * have; nothing changed. The message lists the known names, or says what is wrong with a rule's
 * row.
 */
public final class PlacementException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public PlacementException(String message) {
    super(message);
  }

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   * @param cause what led to it
   */
  public PlacementException(String message, Throwable cause) {
    super(message, cause);
  }
}
