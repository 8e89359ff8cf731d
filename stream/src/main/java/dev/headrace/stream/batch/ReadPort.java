package dev.headrace.stream.batch;

import dev.headrace.stream.NodeId;

/** How a stream reads from any node, its own included. A port, implemented by the cluster. */
@FunctionalInterface
public interface ReadPort {

  /**
   * Sends a request. Never blocks; the handler is told the outcome exactly once, at the latest when
   * the connection to the node ends or the node leaves the cluster.
   */
  void read(NodeId node, ReadRequest request, ReadHandler handler);
}
