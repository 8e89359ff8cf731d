package dev.headrace.api.error;

/** An entry is larger than the node's limit; nothing was written. */
public final class EntryTooLargeException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public EntryTooLargeException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public EntryTooLargeException(String message, Throwable cause) {
    super(message, cause);
  }
}
