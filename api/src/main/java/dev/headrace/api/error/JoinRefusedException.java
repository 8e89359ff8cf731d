package dev.headrace.api.error;

/**
 * The cluster refuses this node; the message names the setting that differs. Starting the node
 * again without a change does not help: change that setting to the cluster's, or the cluster's
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
