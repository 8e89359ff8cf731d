package dev.headrace.stream.publisher;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.stream.pull.Pulled;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * An iterator that is a subscriber. From a {@link StreamSubscription} it takes the engine and pulls
 * it directly, on the calling thread, without a signal per entry. On any other publisher it keeps a
 * small queue.
 *
 * <p>It belongs to one thread at a time, the last one that called it. Another thread may call
 * {@link #close}: that takes effect when the iterating thread waits or needs the next batch. An
 * iterator that is neither closed nor read to its end releases its buffers when it is garbage.
 */
public final class StreamIterator<T> implements Subscriber<T>, CloseableIterator<T> {

  private static final int PREFETCH = 256;
  private static final int REPLENISH = PREFETCH * 3 / 4;
  private static final Object CLOSED = new Object();

  private final Bell bell = new Bell();
  private @Nullable Pulled<T> engine;
  private Cleaner.@Nullable Cleanable cleanable;
  private volatile boolean closed;

  /**
   * The owning thread, or {@link #CLOSED}. A thread that calls the iterator becomes its owner
   * first, and only the owner releases the buffers. So no buffer is released while another thread
   * decodes it.
   */
  private final AtomicReference<@Nullable Object> owner = new AtomicReference<>();

  private boolean pulling; // of the owner

  // On a foreign publisher only.
  private @Nullable Subscription subscription;
  private @Nullable Queue<T> queue;
  private int unrequested;
  private @Nullable Throwable foreignFailure; // published by foreignEnded
  private volatile boolean foreignEnded;

  /** Wakes the thread that waits for the next entry. */
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

    /** Resets the bell. Called before checking whether there is anything to wait for. */
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
                + " set. The iterator is intact: clear the flag and continue, or close it");
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
      @SuppressWarnings("unchecked") // It comes from a publisher of T.
      Pulled<T> fused = ((StreamSubscription<T>) own).fuse(bell);
      engine = fused;
      cleanable = fused.closeWith(this);
    } else {
      queue = new ArrayBlockingQueue<>(PREFETCH);
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
    own();
    Pulled<T> own = engine;
    try {
      return (own != null && own.hasDecodable()) || await();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public T next() {
    own();
    Pulled<T> own = engine;
    try {
      if (own == null) {
        return nextForeign();
      }
      if (!own.hasDecodable() && !await()) {
        throw ended();
      }
      T next = own.take();
      while (next == null && own.hasDecodable()) {
        next = own.take(); // It has failed, but has completed something.
      }
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

  /** Makes the calling thread the owner. */
  private void own() {
    Object before = owner.get();
    while (before != Thread.currentThread()) {
      if (before == CLOSED) {
        throw closedException();
      }
      if (owner.compareAndSet(before, Thread.currentThread())) {
        if (closed) {
          close();
          throw closedException();
        }
        return;
      }
      before = owner.get();
    }
  }

  private static IllegalStateException closedException() {
    return new IllegalStateException(
        "The iterator was closed: open a new one, or read before closing");
  }

  private boolean await() {
    while (true) {
      bell.silence();
      if (closed) {
        close();
        throw closedException();
      }
      Pulled<T> own = engine;
      boolean ready = own == null ? foreignHasNext() : pull(own);
      if (closed) {
        continue; // perhaps by a listener, within the pull
      }
      if (ready) {
        return true;
      }
      if (own == null ? foreignEnded : own.isEnded()) {
        return endReached(own);
      }
      bell.await();
    }
  }

  private boolean pull(Pulled<T> own) {
    pulling = true;
    try {
      return own.isReady();
    } finally {
      pulling = false;
    }
  }

  /** Throws what ended the stream, in each call; returns false if it ended without an error. */
  private boolean endReached(@Nullable Pulled<T> own) {
    if (own == null && foreignHasNext()) {
      return true; // It came between the two checks.
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
    Subscription from = subscription;
    if (from != null && !closed) {
      from.cancel();
    }
    closed = true;
    Object before = owner.get();
    boolean ours = before == null || before == Thread.currentThread();
    if (ours && !pulling && owner.compareAndSet(before, CLOSED)) {
      release();
    } else if (before != CLOSED) {
      bell.run();
    }
  }

  private void release() {
    if (cleanable != null) {
      cleanable.clean();
    }
  }
}
