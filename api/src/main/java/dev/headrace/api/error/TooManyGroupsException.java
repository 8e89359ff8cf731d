package dev.headrace.api.error;

/**
 * A reduction has more groups than its bound, so that its result would not be small. Group by
 * something that has fewer values, filter, raise {@code GroupedReductions.maxGroups}, or stream the
 * parts with {@code select} and group them where they arrive.
 */
public final class TooManyGroupsException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about a reduction.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   */
  public TooManyGroupsException(String message, FaultScope scope) {
    super(message, scope, null);
  }
}
