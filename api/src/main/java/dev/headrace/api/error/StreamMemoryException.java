package dev.headrace.api.error;

/**
 * A stream could not begin, or not go on with an entry larger than its share, because the node's
 * memory for streams ({@code NodeSettings.streamMemoryBytes}) is used up by others that hold theirs
 * for long. Nothing was lost: begin it anew when some of them have ended or go on.
 */
public final class StreamMemoryException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says how much is used, and by how many. */
  public StreamMemoryException(String message) {
    super(message);
  }
}
