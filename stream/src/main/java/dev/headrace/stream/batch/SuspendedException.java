package dev.headrace.stream.batch;

import dev.headrace.api.error.HeadraceException;

/**
 * A read was refused because this node's part of the cluster must not go on alone: what it holds
 * may be outdated, and no other node can be asked instead.
 */
public final class SuspendedException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  /** The message says which nodes have to be reached again. */
  public SuspendedException(String message) {
    super(message);
  }
}
