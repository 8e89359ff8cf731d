package dev.headrace.replication.client;

import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The bulk reads under way. Each is sent once. If no answer comes it ends without one, and the
 * caller goes on with operations, which are sent again; if the answer takes long and there are
 * other owners, these are asked instead. Thread-safe.
 */
final class Questions {
  static final int MAX_QUESTIONS = 4096; // the most bulk reads under way; more end at once

  private final Transport transport;
  private final Hedging hedging;
  private final Map<Long, Question> questions = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();

  /**
   * @param hedging how long a node is waited for before others are asked instead
   */
  Questions(Transport transport, Hedging hedging) {
    this.transport = transport;
    this.hedging = hedging;
  }

  private static final class Question {
    private final NodeId asked;
    private final BulkCompletion completion;
    private final AtomicBoolean told = new AtomicBoolean();
    private long sinceNanos; // when the first tick saw it; only of the thread that ticks
    private boolean seen;
    private volatile boolean late; // whether others are asked instead

    Question(NodeId asked, BulkCompletion completion) {
      this.asked = asked;
      this.completion = completion;
    }

    boolean hasWaited(long nanos, long nowNanos) {
      if (!seen) {
        seen = true;
        sinceNanos = nowNanos;
      }
      return nowNanos - sinceNanos >= nanos;
    }

    /** True for the first that tells the completion. */
    boolean tell() {
      return told.compareAndSet(false, true);
    }
  }

  void ask(NodeId node, BulkRead read, BulkCompletion completion) {
    long number = numbers.incrementAndGet();
    if (questions.size() >= MAX_QUESTIONS) {
      completion.ended(null);
      return;
    }
    questions.put(number, new Question(node, completion));
    transport.send(node, read.numbered(number));
  }

  void replied(NodeId from, BulkReadReply reply) {
    Question question = questions.get(reply.number());
    if (question == null || !question.asked.equals(from)) {
      return;
    }
    if (question.late) {
      hedging.needless(from);
    }
    end(reply.number(), reply);
  }

  /** What was sent to a node, or by it, may be lost. */
  void disconnected(NodeId node) {
    endIf(question -> question.asked.equals(node));
  }

  void tick(long nowNanos) {
    questions.forEach(
        (number, question) -> {
          if (question.hasWaited(Call.FIRST_ANSWER_NANOS, nowNanos)) {
            if (question.late) {
              hedging.useful(question.asked);
            }
            end(number, null);
          } else if (!question.late
              && question.hasWaited(hedging.delayNanos(question.asked), nowNanos)
              && question.completion.hasOthers()
              && question.tell()) {
            question.late = true; // stays, so that it is seen how late the answer comes
            question.completion.slow();
          }
        });
  }

  void endAll() {
    endIf(question -> true);
  }

  private void endIf(Predicate<Question> condition) {
    questions.forEach(
        (number, question) -> {
          if (condition.test(question)) {
            end(number, null);
          }
        });
  }

  private void end(long number, @Nullable BulkReadReply reply) {
    Question question = questions.remove(number);
    if (question != null && question.tell()) {
      question.completion.ended(reply);
    }
  }
}
