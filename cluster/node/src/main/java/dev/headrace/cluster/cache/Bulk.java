package dev.headrace.cluster.cache;

import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The many requests of one method. A window of them is under way, and moves on as replies come.
 *
 * <p>A number and an amount of bytes bound the window. The bytes of requests are known, those of
 * replies are estimated from earlier ones: the window begins small and grows while values are
 * small. So neither a connection nor this node holds more than some megabytes for one method, or
 * one larger entry.
 *
 * <p>{@link #step} does all the work, on one thread at a time. Completions only queue replies, and
 * wake it when half of the window has ended.
 *
 * @param <T> the item of one request
 */
final class Bulk<T> implements Stepwise {

  /** The most requests under way. */
  static final int MAX_REQUESTS = 4096;

  /** About how many bytes may be under way, requests and replies together. */
  static final long MAX_BYTES = 4 << 20;

  /**
   * The estimate of a reply before the first one has come: large, so that few requests are sent at
   * first.
   */
  private static final long FIRST_REPLY_BYTES = MAX_BYTES / 64;

  /** The estimate follows larger replies at once, and smaller ones by this share. */
  private static final int DECAY_SHARE = 8;

  private final Iterator<? extends T> items;
  private final Function<T, Request> encode;
  private final BiConsumer<T, OperationReply> handler;
  private final CallPort port;
  private final Runnable wake;

  // Used by the thread that steps.
  private @Nullable One held;
  private int open;
  private long openBytes;
  private long replyBytes = FIRST_REPLY_BYTES;
  private @Nullable Throwable failure;

  private final Queue<One> ended = new ConcurrentLinkedQueue<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicBoolean asleep = new AtomicBoolean();
  private volatile int wakeAt;

  /**
   * @param items the items, taken one by one
   * @param encode makes the request for an item
   * @param handler takes the reply to an item, in the order in which replies come
   * @param wake makes {@link #step} be called again; called on any thread
   */
  Bulk(
      Iterator<? extends T> items,
      Function<T, Request> encode,
      BiConsumer<T, OperationReply> handler,
      CallPort port,
      Runnable wake) {
    this.items = items;
    this.encode = encode;
    this.handler = handler;
    this.port = port;
    this.wake = wake;
  }

  @Override
  public boolean step() {
    while (true) {
      collect();
      submit();
      if (open == 0 && (failure != null || held == null)) {
        return true; // nothing is under way, and nothing is left to send
      }
      wakeAt = inFlight.get() / 2;
      asleep.set(true);
      if (inFlight.get() > wakeAt || !asleep.compareAndSet(true, false)) {
        return false;
      }
    }
  }

  @Override
  public @Nullable Throwable failure() {
    return failure;
  }

  private void collect() {
    for (One one = ended.poll(); one != null; one = ended.poll()) {
      open--;
      openBytes -= one.bytes;
      OperationReply reply = one.reply;
      if (reply == null) {
        fail(one.failure);
      } else if (failure == null) {
        handle(one, reply);
      }
    }
  }

  private void handle(One one, OperationReply reply) {
    if (one.wantsValue()) {
      byte[] value = reply.value();
      long bytes = value == null ? 0 : value.length;
      replyBytes = Math.max(bytes, replyBytes - (replyBytes + DECAY_SHARE - 1) / DECAY_SHARE);
    }
    try {
      handler.accept(one.item, reply);
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void submit() {
    CallPort.Batch batch = port.batch();
    while (failure == null) {
      One next = held == null ? take() : held;
      if (next == null) {
        break;
      }
      next.bytes = next.requestBytes() + (next.wantsValue() ? replyBytes : 0);
      boolean room = open < MAX_REQUESTS && openBytes + next.bytes <= MAX_BYTES;
      held = open == 0 || room ? null : next;
      if (held != null) {
        break;
      }
      open++;
      openBytes += next.bytes;
      inFlight.incrementAndGet();
      batch.submit(next.request, next);
    }
    batch.send();
  }

  private @Nullable One take() {
    try {
      if (!items.hasNext()) {
        return null;
      }
      T item = items.next();
      return new One(item, encode.apply(item));
    } catch (RuntimeException | Error e) {
      fail(e);
      return null;
    }
  }

  private void fail(@Nullable Throwable cause) {
    if (failure == null) {
      failure = cause == null ? new IllegalStateException("a request ended twice") : cause;
    }
  }

  private final class One implements Completion {
    private final T item;
    private final Request request;
    private long bytes; // used by the thread that steps

    // Published by the queue.
    private @Nullable OperationReply reply;
    private @Nullable Throwable failure;

    One(T item, Request request) {
      this.item = item;
      this.request = request;
    }

    boolean wantsValue() {
      return request.kind() == Kind.GET && request.wantPrevious();
    }

    long requestBytes() {
      byte[] value = request.value();
      return request.key().length + (value == null ? 0L : value.length);
    }

    @Override
    public void done(OperationReply answer) {
      reply = answer;
      end();
    }

    @Override
    public void failed(OperationFault fault) {
      failure = Failures.of(fault, request.kind().mutation());
      end();
    }

    private void end() {
      ended.add(this);
      int left = inFlight.decrementAndGet();
      if (left <= wakeAt && asleep.compareAndSet(true, false)) {
        wake.run();
      }
    }
  }
}
