package dev.headrace.api.error;

/**
 * The cluster does not take this node; the message says what differs. Starting it again as it is
 * does not help: change the setting that it names, which is a term of the cluster, or the cluster's
 * name.
 */
public final class JoinRefusedException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public JoinRefusedException(String message) {
    super(message);
  }

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   * @param cause what led to it
   */
  public JoinRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
