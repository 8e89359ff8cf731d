package dev.headrace.cluster.membership.connection;

import org.jgroups.Message;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.SubmitToThreadPool;

/**
 * Passes ordered messages up the protocols on the thread that has read them from the connection. By
 * default JGroups wakes another thread first, which is not worth its cost here, since the listener
 * only enqueues. A message from this node to itself still changes threads, because its sender may
 * hold locks.
 */
final class DirectReceipt extends SubmitToThreadPool {
  @Override
  public boolean process(Message message, boolean oob) {
    if (oob) {
      return super.process(message, true);
    }
    tp.passMessageUp(message, true, message.getDest() == null, true);
    return true;
  }

  @Override
  public boolean process(MessageBatch batch, boolean oob) {
    if (oob) {
      return super.process(batch, true);
    }
    new BatchHandler(batch, false).run();
    return true;
  }
}
