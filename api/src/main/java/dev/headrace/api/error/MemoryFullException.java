package dev.headrace.api.error;

/**
 * An owner of the entry has used up the memory for its content; nothing was written. Reads,
 * removals and streams go on.
 *
 * <p>Remove entries, add nodes, or raise {@code NodeSettings.memoryBytes}. {@code
 * ClusterStatus.Member.memory} tells how much each node uses. A program may try again later:
 * entries expire, and segments move to new nodes.
 */
public final class MemoryFullException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public MemoryFullException(String message) {
    super(message);
  }

  /**
   * An exception about something.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   */
  public MemoryFullException(String message, FaultScope scope) {
    super(message, scope, null);
  }

  /** True: entries are removed or expire, and nodes may be added. */
  @Override
  public boolean isRetryable() {
    return true;
  }
}
