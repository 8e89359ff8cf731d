package dev.headrace.replication.lane;

import dev.headrace.replication.message.ChangesRead;
import dev.headrace.replication.message.ChangesReply;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.change.ChangeAnswer;
import dev.headrace.stream.change.ChangeQuery;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Answers readers of changes, now or when there is something to tell. It keeps nothing of a reader
 * but a question that waits for an answer ({@link ChangeWaiters}).
 *
 * <p>Writes do not wait for readers: a segment that advances only marks the questions that wait for
 * it, and each is answered later, in an executor, from those of its segments that have advanced.
 *
 * <p>Thread-safe.
 */
final class ChangeReads {
  /** So many questions may have come and not be looked at; more are answered with nothing. */
  static final int MAX_ARRIVED = 1024;

  private final Source source;
  private final Executor executor;
  private final Transport transport;
  private final ChangeWaiters waiters = new ChangeWaiters(this::woken);
  private final AtomicInteger arrived = new AtomicInteger();
  private volatile long nowNanos;

  /** What there is to tell. */
  interface Source {

    /**
     * Answers a question as far as there is something to tell.
     *
     * @param parts those of the question's parts that may have something
     */
    ChangeAnswer answer(ChangeQuery query, List<ChangeQuery.Part> parts);
  }

  /**
   * @param executor looks for answers
   */
  ChangeReads(Source source, Executor executor, Transport transport) {
    this.source = source;
    this.executor = executor;
    this.transport = transport;
  }

  /** Takes a question. */
  void read(NodeId from, ChangesRead message) {
    if (arrived.incrementAndGet() > MAX_ARRIVED) {
      arrived.decrementAndGet();
      reply(from, message, ChangeAnswer.NOTHING);
    } else {
      executor.execute(
          () -> {
            arrived.decrementAndGet();
            begin(from, message);
          });
    }
  }

  /** Answers at once, or keeps the question until there is something to tell. */
  private void begin(NodeId from, ChangesRead message) {
    ChangeQuery query = message.query();
    ChangeWaiters.Waiter earlier = waiters.ofReader(from, query.reader());
    if (earlier != null) {
      reply(earlier, ChangeAnswer.NOTHING);
    }
    // It waits before anybody looks, so that what comes meanwhile wakes it, and one look is enough.
    ChangeWaiters.Waiter waiter =
        query.waitMillis() == 0 ? null : waiters.park(from, message, nowNanos);
    if (waiter == null) {
      reply(from, message, source.answer(query, query.parts()));
    } else {
      answer(waiter, query.parts());
    }
  }

  /** More has become stable in a segment. On the way of a write: it only marks. */
  void advanced(String cache, int segment) {
    waiters.advanced(cache, segment);
  }

  private void woken(ChangeWaiters.Waiter waiter) {
    executor.execute(() -> answer(waiter, waiter.takeAdvanced()));
  }

  private void answer(ChangeWaiters.Waiter waiter, List<ChangeQuery.Part> parts) {
    if (waiter.isTaken() || parts.isEmpty()) {
      return;
    }
    ChangeAnswer answer = source.answer(waiter.message().query(), parts);
    if (!answer.parts().isEmpty() && waiters.take(waiter)) {
      reply(waiter, answer);
    }
  }

  /** Ends what has waited long enough. */
  void tick(long newNanos) {
    nowNanos = newNanos;
    for (ChangeWaiters.Waiter waiter : waiters.overdue(newNanos)) {
      reply(waiter, ChangeAnswer.NOTHING);
    }
  }

  /** Answers to a node are lost. */
  void disconnected(NodeId node) {
    waiters.forget(node);
  }

  private void reply(ChangeWaiters.Waiter waiter, ChangeAnswer answer) {
    reply(waiter.from(), waiter.message(), answer);
  }

  private void reply(NodeId to, ChangesRead question, ChangeAnswer answer) {
    transport.send(to, new ChangesReply(question.number(), answer));
  }
}
