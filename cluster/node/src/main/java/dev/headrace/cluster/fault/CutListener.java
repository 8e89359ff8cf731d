package dev.headrace.cluster.fault;

import dev.headrace.cluster.wire.WireListener;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;

/**
 * What a node's wire tells it while the node may be cut off from others. That the other side has
 * hung up is not told then: no packet would say so. What is held is lost with its connection.
 */
public final class CutListener implements WireListener {
  private final HeldTraffic held;
  private final WireListener listener;

  /** Stands before a listener. */
  public CutListener(HeldTraffic held, WireListener listener) {
    this.held = held;
    this.listener = listener;
  }

  @Override
  public void onMessage(NodeId from, Message message) {
    listener.onMessage(from, message);
  }

  @Override
  public void onProgress(NodeId from, int share) {
    listener.onProgress(from, share);
  }

  @Override
  public void onDisconnected(NodeId node) {
    held.lose(node);
    listener.onDisconnected(node);
  }

  @Override
  public void onHungUp(NodeId node) {
    if (!held.isCut(node)) {
      listener.onHungUp(node);
    }
  }
}
