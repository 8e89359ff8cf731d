package dev.headrace.replication.client;

import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transport that holds messages back for a moment, so that those for one node that follow each
 * other leave together. Each is still a message of its own. Used by one thread.
 */
final class Bundle implements Transport {
  static final int MAX_MESSAGES = 128; // the most messages held back

  private final Transport transport;
  private final List<Message> held = new ArrayList<>();
  private @Nullable NodeId node;

  Bundle(Transport transport) {
    this.transport = transport;
  }

  @Override
  public void send(NodeId to, Message message) {
    if (held.size() == MAX_MESSAGES || !to.equals(node)) {
      release();
      node = to;
    }
    held.add(message);
  }

  /** Sends what is held back. */
  void release() {
    NodeId to = node;
    if (to != null && !held.isEmpty()) {
      transport.send(to, held);
      held.clear();
    }
  }
}
