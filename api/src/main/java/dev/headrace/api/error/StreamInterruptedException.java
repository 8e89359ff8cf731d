package dev.headrace.api.error;

import java.util.List;

/**
 * A stream could not keep its promise and ended; what was handed over until then was correct. Its
 * {@link #resumeToken} stands for exactly what remains.
 */
public final class StreamInterruptedException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  private final String resumeToken;
  private final List<Integer> segments;

  /**
   * @param segments the segments that could not be read
   * @param resumeToken the stream's remaining work
   */
  public StreamInterruptedException(String message, List<Integer> segments, String resumeToken) {
    super(message);
    this.segments = List.copyOf(segments);
    this.resumeToken = resumeToken;
  }

  /** The stream's remaining work; see {@code CacheStream.resumeFrom}. */
  public String resumeToken() {
    return resumeToken;
  }

  /** The segments that could not be read. */
  public List<Integer> segments() {
    return segments;
  }
}
