package dev.headrace.api.error;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A node was not taken into its cluster within {@code joinTimeout}: it found no cluster, or one
 * without a quorum, or was not answered. The message says which. Starting it again can help, unlike
 * after a {@link JoinRefusedException}.
 */
public final class JoinTimeoutException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  private final String cluster;
  private final Duration timeout;

  /**
   * The message says what was seen and what to do.
   *
   * @param cluster the name of the cluster
   * @param timeout how long the node has tried
   * @param cause what led to it, or null
   */
  public JoinTimeoutException(
      String message, String cluster, Duration timeout, @Nullable Throwable cause) {
    super(message);
    if (cause != null) {
      initCause(cause);
    }
    this.cluster = cluster;
    this.timeout = timeout;
  }

  /** The name of the cluster that the node wanted to join. */
  public String cluster() {
    return cluster;
  }

  /** How long the node has tried. */
  public Duration timeout() {
    return timeout;
  }
}
