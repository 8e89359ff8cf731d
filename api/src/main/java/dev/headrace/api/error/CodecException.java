package dev.headrace.api.error;

/**
 * A codec failed, is missing, or does not match the format of what a cache holds. A write has not
 * happened then.
 *
 * <p>If the message names a format: open the cache with the codecs that wrote it, on all nodes; the
 * command line's {@code status} tells the formats. If it names a type: there is no built-in codec
 * for it, so write a {@link dev.headrace.api.codec.Codec}. Else the cause tells what the codec
 * threw.
 */
public final class CodecException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   */
  public CodecException(String message) {
    super(message);
  }

  /**
   * An exception about nothing in particular.
   *
   * @param message what happened and what to do
   * @param cause what led to it
   */
  public CodecException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * An exception about something.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   */
  public CodecException(String message, FaultScope scope) {
    super(message, scope, null);
  }

  /**
   * An exception about something, with what led to it.
   *
   * @param message what happened and what to do
   * @param scope what it is about
   * @param cause what led to it
   */
  public CodecException(String message, FaultScope scope, Throwable cause) {
    super(message, scope, cause);
  }
}
