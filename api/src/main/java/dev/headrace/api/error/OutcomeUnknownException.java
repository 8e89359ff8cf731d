package dev.headrace.api.error;

/**
 * A write was sent, but its outcome did not arrive in time: it may or may not have happened.
 *
 * <p>Read before writing again. A write that sets a value whatever is there ({@code put}) can be
 * repeated without a look; one that depends on what is there ({@code replace}, {@code merge}) would
 * perhaps take effect twice.
 */
public final class OutcomeUnknownException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public OutcomeUnknownException(String message) {
    super(message);
  }

  /**
   * An exception about something.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   */
  public OutcomeUnknownException(String message, FaultScope scope) {
    super(message, scope, null);
  }
}
