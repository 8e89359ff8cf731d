package dev.headrace.api.error;

/** A node locator was given nodes, weights or keys that it cannot work with; nothing changed. */
public final class LocatorException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public LocatorException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public LocatorException(String message, Throwable cause) {
    super(message, cause);
  }
}
