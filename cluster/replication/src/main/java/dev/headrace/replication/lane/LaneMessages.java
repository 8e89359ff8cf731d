package dev.headrace.replication.lane;

import dev.headrace.replication.message.Chunk;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.MemoryNotice;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.ResultsReceived;
import dev.headrace.replication.message.Settled;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;

/** Gives lanes the messages that they and coordinators send to each other. Stateless. */
public final class LaneMessages {

  private LaneMessages() {}

  /**
   * Hands a message to a node's lanes.
   *
   * @return false if it is for somebody else, so that nothing has happened
   */
  public static boolean deliver(Lanes lanes, NodeId from, Message message) {
    return deliverHistory(lanes, from, message) || deliverFill(lanes, from, message);
  }

  private static boolean deliverHistory(Lanes lanes, NodeId from, Message message) {
    if (message instanceof Replicate replicate) {
      lanes.replicate(from, replicate);
    } else if (message instanceof Replicated replicated) {
      lanes.replicated(from, replicated);
    } else if (message instanceof Settled settled) {
      lanes.settled(from, settled);
    } else if (message instanceof HistoryRequest request) {
      lanes.historyRequest(from, request);
    } else if (message instanceof History history) {
      lanes.history(from, history);
    } else if (message instanceof InSync inSync) {
      lanes.inSync(from, inSync);
    } else if (message instanceof ResultsReceived received) {
      lanes.resultsReceived(from, received);
    } else {
      return false;
    }
    return true;
  }

  private static boolean deliverFill(Lanes lanes, NodeId from, Message message) {
    if (message instanceof Chunk chunk) {
      lanes.chunk(from, chunk);
    } else if (message instanceof Learned learned) {
      lanes.learned(from, learned);
    } else if (message instanceof CopyOrder order) {
      lanes.fillOrder(from, order);
    } else if (message instanceof CopyCancel cancel) {
      lanes.fillCancel(cancel);
    } else if (message instanceof MemoryNotice notice) {
      lanes.memory(from, notice);
    } else {
      return false;
    }
    return true;
  }
}
