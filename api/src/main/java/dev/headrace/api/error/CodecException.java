package dev.headrace.api.error;

/** A codec failed, is missing, or does not match the cache's format. */
public final class CodecException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says what happened and what to do. */
  public CodecException(String message) {
    super(message);
  }

  /** As above, with what led to it. */
  public CodecException(String message, Throwable cause) {
    super(message, cause);
  }
}
