package dev.headrace.api.error;

/** A peer sent something that is not the protocol: a wrong version, checksum, length or count. */
public final class WireException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public WireException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public WireException(String message, Throwable cause) {
    super(message, cause);
  }
}
