package dev.headrace.cluster.membership;

import org.jgroups.Message;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.SubmitToThreadPool;

/**
 * Takes what comes in order up the protocols on the thread that has read it from its connection. By
 * default JGroups hands it to another thread first, which it has to wake; the end of the way, which
 * only enqueues, is not worth that. What this node sends to itself still changes threads, because
 * its sender may hold locks.
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
