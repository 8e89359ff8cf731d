package dev.headrace.stream.pull;

import dev.headrace.api.error.HeadraceException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.infinispan.commons.util.CloseableIterator;
import org.jctools.queues.SpscArrayQueue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * A subscriber that is pulled. On our own subscription it takes the engine and pulls it directly,
 * on the thread that calls it, with no signal per entry; on any other publisher it keeps a small
 * queue.
 *
 * <p>It belongs to one thread at a time. {@link #close} may be called from another thread: it takes
 * effect when the iterating thread waits or needs the next batch. An iterator that is neither
 * closed nor read to its end gives its buffers back when the garbage collector finds it.
 */
final class StreamIterator<T> implements Subscriber<T>, CloseableIterator<T> {

  private static final int PREFETCH = 256;
  private static final int REPLENISH = PREFETCH * 3 / 4;
  private static final Cleaner CLEANER = Cleaner.create();

  private final Bell bell = new Bell();
  private @Nullable PullEngine<T> engine;
  private Cleaner.@Nullable Cleanable cleanable;
  private volatile boolean closed;
  private volatile @Nullable Thread puller; // written only when the thread changes

  // On a foreign publisher only.
  private @Nullable Subscription subscription;
  private @Nullable Queue<T> queue;
  private int unrequested;
  private @Nullable Throwable foreignFailure; // published by foreignEnded
  private volatile boolean foreignEnded;

  /** What a waiting thread waits for. */
  private static final class Bell implements Runnable {
    private volatile boolean rung;
    private volatile @Nullable Thread waiter;

    @Override
    public void run() {
      rung = true;
      Thread thread = waiter;
      if (thread != null) {
        LockSupport.unpark(thread);
      }
    }

    /** To be called before one looks whether there is anything to wait for. */
    void silence() {
      rung = false;
    }

    void await() {
      waiter = Thread.currentThread();
      while (!rung && !Thread.currentThread().isInterrupted()) {
        LockSupport.park(this);
      }
      waiter = null;
      if (!rung) {
        throw new HeadraceException(
            "The thread was interrupted while it waited for the next entry; its interrupt flag is"
                + " set. The iterator is intact: clear the flag and go on, or close it");
      }
    }
  }

  @Override
  public void onSubscribe(Subscription offered) {
    Objects.requireNonNull(offered, "subscription");
    if (engine != null || subscription != null || closed) {
      offered.cancel();
      return;
    }
    if (offered instanceof StreamSubscription<?> own) {
      @SuppressWarnings("unchecked") // The publisher of T subscribed us.
      PullEngine<T> fused = ((StreamSubscription<T>) own).fuse(bell);
      engine = fused;
      cleanable = CLEANER.register(this, fused::close);
    } else {
      queue = new SpscArrayQueue<>(PREFETCH);
      subscription = offered;
      offered.request(PREFETCH);
    }
  }

  @Override
  public void onNext(T next) {
    Objects.requireNonNull(next, "element");
    Queue<T> waiting = queue;
    Subscription from = subscription;
    if (closed || waiting == null || from == null) {
      return;
    }
    if (!waiting.offer(next)) {
      from.cancel();
      onError(
          new IllegalStateException(
              "The publisher sent more than the " + PREFETCH + " elements that were requested"));
      return;
    }
    bell.run();
  }

  @Override
  public void onError(Throwable failure) {
    Objects.requireNonNull(failure, "failure");
    if (!foreignEnded) {
      foreignFailure = failure;
      foreignEnded = true;
      bell.run();
    }
  }

  @Override
  public void onComplete() {
    foreignEnded = true;
    bell.run();
  }

  @Override
  public boolean hasNext() {
    PullEngine<T> own = engine;
    try {
      return (own != null && own.hasDecodable()) || await();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public T next() {
    PullEngine<T> own = engine;
    try {
      if (own == null) {
        return nextForeign();
      }
      if (!own.hasDecodable() && !await()) {
        throw ended();
      }
      T next = own.take();
      if (next == null) {
        throw thrown(own.failure());
      }
      return next;
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  private static NoSuchElementException ended() {
    return new NoSuchElementException("The stream has ended: check hasNext() first");
  }

  private boolean await() {
    if (puller != Thread.currentThread()) {
      puller = Thread.currentThread();
    }
    while (true) {
      bell.silence();
      if (closed) {
        release();
        throw new IllegalStateException(
            "The iterator was closed: open a new one, or read before closing");
      }
      PullEngine<T> own = engine;
      if (own == null ? foreignHasNext() : own.isReady()) {
        return true;
      }
      if (own == null ? foreignEnded : own.isEnded()) {
        return endReached(own);
      }
      bell.await();
    }
  }

  /** Throws what ended the stream, every time it is asked; returns false if all went well. */
  private boolean endReached(@Nullable PullEngine<T> own) {
    if (own == null && foreignHasNext()) {
      return true; // It came between the two looks.
    }
    Throwable failure = own == null ? foreignFailure : own.failure();
    release();
    if (failure != null) {
      throw thrown(failure);
    }
    return false;
  }

  private static RuntimeException thrown(@Nullable Throwable failure) {
    if (failure == null) {
      return ended();
    }
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException exception
        ? exception
        : new HeadraceException("The stream failed: " + failure, failure);
  }

  private boolean foreignHasNext() {
    Queue<T> waiting = queue;
    return waiting != null && !waiting.isEmpty();
  }

  private T nextForeign() {
    if (!await()) {
      throw ended();
    }
    Queue<T> waiting = queue;
    Subscription from = subscription;
    T next = waiting == null ? null : waiting.poll();
    if (next == null || from == null) {
      throw new IllegalStateException("An iterator was used by two threads at the same time");
    }
    if (++unrequested == REPLENISH) {
      unrequested = 0;
      from.request(REPLENISH);
    }
    return next;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    Subscription from = subscription;
    if (from != null) {
      from.cancel();
    }
    Thread owner = puller;
    if (owner == null || owner == Thread.currentThread()) {
      release();
    } else {
      bell.run();
    }
  }

  private void release() {
    if (cleanable != null) {
      cleanable.clean();
    }
  }
}
