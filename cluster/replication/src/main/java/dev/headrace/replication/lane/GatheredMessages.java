package dev.headrace.replication.lane;

import dev.headrace.replication.message.Replicated;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A transport that keeps what several runs of lanes send, so that what is for one node leaves
 * together. Of a backup's confirmations that follow each other it keeps the last, which says what
 * the others said. Used by one thread.
 */
final class GatheredMessages implements Transport {
  private final Transport transport;
  private final Map<NodeId, List<Message>> kept = new LinkedHashMap<>();

  GatheredMessages(Transport transport) {
    this.transport = transport;
  }

  @Override
  public void send(NodeId to, Message message) {
    List<Message> before = kept.computeIfAbsent(to, none -> new ArrayList<>());
    int last = before.size() - 1;
    if (message instanceof Replicated later
        && last >= 0
        && before.get(last) instanceof Replicated earlier
        && includes(later, earlier)) {
      before.set(last, later);
    } else {
      before.add(message);
    }
  }

  private static boolean includes(Replicated later, Replicated earlier) {
    return earlier.segment() == later.segment()
        && earlier.segmentEpoch() == later.segmentEpoch()
        && earlier.sequence() <= later.sequence()
        && earlier.inSync() == later.inSync()
        && !earlier.missing()
        && earlier.cache().equals(later.cache());
  }

  /** Sends everything that is kept. */
  void release() {
    kept.forEach(transport::send);
    kept.clear();
  }
}
