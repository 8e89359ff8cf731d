package dev.headrace.api.error;

/**
 * An owner of the entry has used up the memory for its content; nothing was written. Reads,
 * removals and streams go on.
 */
public final class MemoryFullException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public MemoryFullException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public MemoryFullException(String message, Throwable cause) {
    super(message, cause);
  }
}
