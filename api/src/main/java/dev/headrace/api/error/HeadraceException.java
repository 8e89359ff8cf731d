package dev.headrace.api.error;

/** The root of everything that Headrace throws about itself. */
public class HeadraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public HeadraceException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public HeadraceException(String message, Throwable cause) {
    super(message, cause);
  }
}
