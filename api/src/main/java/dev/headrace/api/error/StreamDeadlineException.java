package dev.headrace.api.error;

import org.jspecify.annotations.Nullable;

/**
 * A stream has not ended within its deadline, which {@code CacheStream.deadline} sets. What was
 * handed over until then was correct; {@link #resumeToken} stands for exactly what remains. A
 * reduction has handed over nothing, and has no token.
 */
public final class StreamDeadlineException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String resumeToken;

  /**
   * The end of a stream.
   *
   * @param message what happened and what to do
   * @param scope the cache
   * @param resumeToken the stream's remaining work; null of a reduction
   */
  public StreamDeadlineException(String message, FaultScope scope, @Nullable String resumeToken) {
    super(message, scope, null);
    this.resumeToken = resumeToken;
  }

  /** True: a stream that goes on, or a reduction that begins anew, may come to its end. */
  @Override
  public boolean isRetryable() {
    return true;
  }

  /** The stream's remaining work; see {@code CacheStream.resumeFrom}. Null of a reduction. */
  public @Nullable String resumeToken() {
    return resumeToken;
  }
}
