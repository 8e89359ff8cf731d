package dev.headrace.api.error;

import org.jspecify.annotations.Nullable;

/**
 * An owner of the entry, {@link #fullNode}, has used up the memory for its content; nothing was
 * written. Reads, removals and streams go on.
 *
 * <p>Remove entries, add nodes, or raise {@code NodeSettings.memoryBytes}. {@code
 * ClusterStatus.Member.memory} tells how much each node uses. A program may try again later:
 * entries expire, and segments move to new nodes.
 */
public final class MemoryFullException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String fullNode;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public MemoryFullException(String message) {
    this(message, FaultScope.NONE, null);
  }

  /**
   * An exception about something.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   * @param fullNode the name of the node without room, or null if it is not known
   */
  public MemoryFullException(String message, FaultScope scope, @Nullable String fullNode) {
    super(message, scope, null);
    this.fullNode = fullNode;
  }

  /**
   * The name of the owner without room, as in {@code NodeSettings.nodeName}; null if it is not
   * known. Others may be full, too.
   */
  public @Nullable String fullNode() {
    return fullNode;
  }

  /** True: entries are removed or expire, and nodes may be added. */
  @Override
  public boolean isRetryable() {
    return true;
  }
}
