package dev.headrace.api.error;

/**
 * An operation was refused and has had no effect: its segment has no living owner, or too few for a
 * write, or an owner did not answer in time, or the node's part of the cluster must not go on
 * alone, or too much is under way.
 *
 * <p>Try again later. {@link #missingNodes} names the nodes that have to come back, where that is
 * the reason; {@code ClusterStatus.suspendedBecause} and {@code ClusterStatus.absent} tell as long
 * as it lasts. If nodes will not come back, see {@code Headrace.giveUp}.
 */
public final class UnavailableException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public UnavailableException(String message) {
    super(message);
  }

  /**
   * An exception about something.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   */
  public UnavailableException(String message, FaultScope scope) {
    super(message, scope, null);
  }

  /** True: nodes come back, and other owners take over. */
  @Override
  public boolean isRetryable() {
    return true;
  }
}
