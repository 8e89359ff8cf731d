package dev.headrace.rebalance.table;

import dev.headrace.stream.NodeId;

/**
 * How nodes that act on different tables find out and come together (P7): the older side gets what
 * it lacks from whoever notices. Called from any thread, without a lock; a node is not told the
 * same again and again.
 */
public interface Notices {
  /** A node has acted on an older table than this node's: it is sent what it lacks. */
  void outdated(NodeId node, long itsEpoch);

  /** A node has acted on a table that this node does not know: it is asked for what is between. */
  void behind(NodeId node);

  /**
   * A node is about to be sent something that it understands only under this node's newest table:
   * it is sent the change first, unless it has been before.
   */
  void accompany(NodeId node);
}
