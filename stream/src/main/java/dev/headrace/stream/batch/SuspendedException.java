package dev.headrace.stream.batch;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.HeadraceException;
import java.util.List;

/**
 * A read was refused because this node's part of the cluster must not go on alone: what it holds
 * may be outdated, and no other node can be asked instead.
 */
public final class SuspendedException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /**
   * A refusal.
   *
   * @param message says which nodes have to be reached again
   * @param missingNodes their names
   */
  public SuspendedException(String message, List<String> missingNodes) {
    super(message, FaultScope.ofMissing(missingNodes), null);
  }

  @Override
  public boolean isRetryable() {
    return true;
  }
}
