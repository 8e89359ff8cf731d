package dev.headrace.api.error;

/**
 * A peer sent something that is not the protocol: a wrong version, checksum, length or count.
 * Nothing of it was used. Check whether all nodes run the same release, and whether another program
 * uses their ports.
 */
public final class WireException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public WireException(String message) {
    super(message);
  }

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   * @param cause what led to it
   */
  public WireException(String message, Throwable cause) {
    super(message, cause);
  }
}
