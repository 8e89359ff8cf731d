package dev.headrace.api.error;

/**
 * The cluster does not take this node; the message says what differs. Starting it again as it is
 * does not help.
 */
public final class JoinRefusedException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public JoinRefusedException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public JoinRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
