package dev.headrace.api.error;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster did not admit a node within {@code joinTimeout}: it found no cluster, or one without
 * a quorum, or was not answered. The message says which.
 *
 * <p>Start it again when the others are there: unlike a {@link JoinRefusedException}, nothing is
 * wrong with the node itself. If no cluster was found, check how nodes find each other ({@code
 * NodeSettings.discovery}).
 */
public final class JoinTimeoutException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  private final String cluster;
  private final Duration timeout;

  /**
   * An exception that names no nodes.
   *
   * @param message what was seen and what to do
   * @param cluster the name of the cluster
   * @param timeout how long the node has tried
   * @param cause what led to it, or null
   */
  public JoinTimeoutException(
      String message, String cluster, Duration timeout, @Nullable Throwable cause) {
    this(message, cluster, timeout, List.of(), cause);
  }

  /**
   * An exception that names the nodes which are missing.
   *
   * @param message what was seen and what to do
   * @param cluster the name of the cluster
   * @param timeout how long the node has tried
   * @param missingNodes names of nodes that did not answer
   * @param cause what led to it, or null
   */
  public JoinTimeoutException(
      String message,
      String cluster,
      Duration timeout,
      List<String> missingNodes,
      @Nullable Throwable cause) {
    super(message, FaultScope.ofMissing(missingNodes), cause);
    this.cluster = cluster;
    this.timeout = timeout;
  }

  /** True: the cluster may be there later. */
  @Override
  public boolean isRetryable() {
    return true;
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
