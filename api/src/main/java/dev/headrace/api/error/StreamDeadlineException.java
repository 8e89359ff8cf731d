package dev.headrace.api.error;

/**
 * A stream has not ended within its deadline, which {@code CacheStream.deadline} sets. What was
 * handed over until then was correct; {@link #resumeToken} stands for exactly what remains.
 */
public final class StreamDeadlineException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  private final String resumeToken;

  /**
   * The end of a stream.
   *
   * @param message what happened and what to do
   * @param scope the cache
   * @param resumeToken the stream's remaining work
   */
  public StreamDeadlineException(String message, FaultScope scope, String resumeToken) {
    super(message, scope, null);
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
