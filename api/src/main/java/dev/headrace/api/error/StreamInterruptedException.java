package dev.headrace.api.error;

import org.jspecify.annotations.Nullable;

/**
 * A stream could not keep its promise and ended; what was handed over until then was correct. Its
 * {@link #resumeToken} stands for exactly what remains, {@link #segments} are those that could not
 * be read.
 *
 * <p>Give the token to {@code CacheStream.resumeFrom} when the owners are back, begin anew, or use
 * {@code Delivery.AT_MOST_ONCE} to leave such segments out.
 */
public final class StreamInterruptedException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  private final String resumeToken;

  /**
   * The end of a stream.
   *
   * @param message what happened and what to do
   * @param scope the cache, the segments that could not be read, and the nodes that are missing
   * @param resumeToken the stream's remaining work
   * @param cause what led to it, or null
   */
  public StreamInterruptedException(
      String message, FaultScope scope, String resumeToken, @Nullable Throwable cause) {
    super(message, scope, cause);
    this.resumeToken = resumeToken;
  }

  /** True: a stream that goes on from {@link #resumeToken} may come to its end. */
  @Override
  public boolean isRetryable() {
    return true;
  }

  /** The stream's remaining work; see {@code CacheStream.resumeFrom}. */
  public String resumeToken() {
    return resumeToken;
  }
}
