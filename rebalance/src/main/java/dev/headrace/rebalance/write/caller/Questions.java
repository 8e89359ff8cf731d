package dev.headrace.rebalance.write.caller;

import dev.headrace.rebalance.message.BulkRead;
import dev.headrace.rebalance.message.BulkReadReply;
import dev.headrace.rebalance.message.Transport;
import dev.headrace.stream.NodeId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The bulk reads under way. Each is sent once: without an answer it ends without one, and whoever
 * asked goes on with operations, which are sent again. Thread-safe.
 */
final class Questions {

  /** The most bulk reads under way; more end at once. */
  static final int MAX_QUESTIONS = 4096;

  private final Transport transport;
  private final Map<Long, Question> questions = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();

  Questions(Transport transport) {
    this.transport = transport;
  }

  private static final class Question {
    private final NodeId asked;
    private final BulkCompletion completion;

    /** When the first tick saw it; only of the thread that ticks. */
    private long sinceNanos;

    private boolean seen;

    Question(NodeId asked, BulkCompletion completion) {
      this.asked = asked;
      this.completion = completion;
    }

    boolean overdue(long nowNanos) {
      if (!seen) {
        seen = true;
        sinceNanos = nowNanos;
      }
      return nowNanos - sinceNanos >= Call.FIRST_ANSWER_NANOS;
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
    if (question != null && question.asked.equals(from)) {
      end(reply.number(), reply);
    }
  }

  /** What was sent to a node, or by it, may be lost. */
  void disconnected(NodeId node) {
    endIf(question -> question.asked.equals(node));
  }

  void tick(long nowNanos) {
    endIf(question -> question.overdue(nowNanos));
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
    if (question != null) {
      question.completion.ended(reply);
    }
  }
}
