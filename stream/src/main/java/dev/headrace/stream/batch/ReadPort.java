package dev.headrace.stream.batch;

import dev.headrace.stream.NodeId;

/** How a stream reads from any node, its own included. A port, which the cluster implements. */
@FunctionalInterface
public interface ReadPort {

  /**
   * Sends a request. Never blocks. The handler is told the outcome exactly once: at the latest when
   * the connection to the node breaks, or the node leaves the cluster.
   */
  void read(NodeId node, ReadRequest request, ReadHandler handler);
}
