package dev.headrace.stream.batch;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.HeadraceException;
import java.util.List;

/**
 * This node refuses a read because its part of the cluster has no quorum: what it holds may be out
 * of date, and it may not ask other nodes either.
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
