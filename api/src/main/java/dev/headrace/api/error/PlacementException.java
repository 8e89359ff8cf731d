package dev.headrace.api.error;

/**
 * A placement of segments is unknown, has a bound that it cannot have, or gives rows that no
 * cluster can have; nothing changed.
 */
public final class PlacementException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public PlacementException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public PlacementException(String message, Throwable cause) {
    super(message, cause);
  }
}
