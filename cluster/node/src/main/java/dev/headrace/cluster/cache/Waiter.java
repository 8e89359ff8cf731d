package dev.headrace.cluster.cache;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.OperationReply;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that waits for one request. It polls at first, since a reply is often faster than a
 * wake-up. One object per request.
 */
final class Waiter implements Completion {
  private final Thread thread = Thread.currentThread();
  private final Request request;
  private final long busyPollNanos;
  private volatile @Nullable OperationReply reply;
  private volatile @Nullable HeadraceException failure;

  /**
   * Makes a waiter for the calling thread.
   *
   * @param request the request to wait for
   * @param busyPollNanos how long it polls before it sleeps
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
        thrown.fillInStackTrace(); // of the waiting thread, not of the answering one
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
