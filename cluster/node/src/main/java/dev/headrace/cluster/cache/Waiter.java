package dev.headrace.cluster.cache;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.OperationReply;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that waits for one request, at first awake: a reply is often quicker than a wake-up. One
 * object per request.
 */
final class Waiter implements Completion {
  private final Thread thread = Thread.currentThread();
  private final Request request;
  private final long busyPollNanos;
  private volatile @Nullable OperationReply reply;
  private volatile @Nullable HeadraceException failure;

  /**
   * For the thread that makes it.
   *
   * @param request what it waits for
   * @param busyPollNanos how long it stays awake
   */
  Waiter(Request request, long busyPollNanos) {
    this.request = request;
    this.busyPollNanos = busyPollNanos;
  }

  @Override
  public void done(OperationReply answer) {
    reply = answer;
    LockSupport.unpark(thread);
  }

  @Override
  public void failed(OperationFault fault) {
    failure = Failures.of(fault, request.kind().mutation());
    LockSupport.unpark(thread);
  }

  /**
   * Waits for the reply; only the thread that made this may call it.
   *
   * @throws HeadraceException what the request failed with
   * @throws HeadraceException if the thread is interrupted, whose flag stays set; an {@link
   *     dev.headrace.api.error.OutcomeUnknownException} if the request changes something
   */
  @SuppressWarnings("ThreadPriorityCheck") // It yields for speed only; nothing relies on it.
  OperationReply await() {
    long startNanos = System.nanoTime();
    while (true) {
      OperationReply answer = reply;
      if (answer != null) {
        return answer;
      }
      HeadraceException thrown = failure;
      if (thrown != null) {
        thrown.fillInStackTrace(); // of the thread that asked, not of the one that answered
        throw thrown;
      }
      if (Thread.currentThread().isInterrupted()) {
        throw Failures.interrupted(request.cache(), request.kind().mutation());
      }
      if (System.nanoTime() - startNanos < busyPollNanos) {
        Thread.yield(); // the reply may need this core
      } else {
        LockSupport.park(this);
      }
    }
  }
}
