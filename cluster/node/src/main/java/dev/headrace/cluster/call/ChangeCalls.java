package dev.headrace.cluster.call;

import dev.headrace.replication.message.ChangesRead;
import dev.headrace.replication.message.ChangesReply;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Timer;
import dev.headrace.stream.Transport;
import dev.headrace.stream.change.ChangeAnswer;
import dev.headrace.stream.change.ChangePort;
import dev.headrace.stream.change.ChangeQuery;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The questions for changes that this node's streams have under way. Each is sent once; if no
 * answer comes it ends without one, and the stream asks again. Thread-safe.
 */
public final class ChangeCalls implements ChangePort {
  /** So long after a node should have answered it is taken for gone. */
  private static final long PATIENCE_NANOS = 2_000_000_000L;

  private final Transport transport;
  private final Timer timer;
  private final Map<Long, Call> calls = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();
  private volatile boolean closed;

  private record Call(NodeId node, long untilNanos, Consumer<@Nullable ChangeAnswer> handler) {}

  public ChangeCalls(Transport transport, Timer timer) {
    this.transport = transport;
    this.timer = timer;
  }

  @Override
  public void ask(NodeId node, ChangeQuery query, Consumer<@Nullable ChangeAnswer> handler) {
    long waitNanos = TimeUnit.MILLISECONDS.toNanos(query.waitMillis()) + PATIENCE_NANOS;
    long number = numbers.incrementAndGet();
    calls.put(number, new Call(node, timer.nanoTime() + waitNanos, handler));
    transport.send(node, new ChangesRead(number, query));
    if (closed) {
      end(call -> true);
    }
  }

  public void replied(NodeId from, ChangesReply reply) {
    Call call = calls.get(reply.number());
    if (call != null && call.node.equals(from) && calls.remove(reply.number(), call)) {
      call.handler.accept(reply.answer());
    }
  }

  /** What was sent to a node, or by it, may be lost. */
  public void disconnected(NodeId node) {
    end(call -> call.node.equals(node));
  }

  public void tick(long nowNanos) {
    if (!calls.isEmpty()) {
      end(call -> nowNanos - call.untilNanos >= 0);
    }
  }

  /** The node stops: nothing is answered any more. */
  public void close() {
    closed = true;
    end(call -> true);
  }

  private void end(Predicate<Call> condition) {
    calls.forEach(
        (number, call) -> {
          if (condition.test(call) && calls.remove(number, call)) {
            call.handler.accept(null);
          }
        });
  }
}
