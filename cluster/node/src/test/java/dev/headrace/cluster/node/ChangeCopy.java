package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.Change.Kind;
import dev.headrace.api.stream.ChangeListener;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.api.stream.CloseableIterator;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a copy of a cache by its changes, on a thread of its own, and checks that each change fits
 * what was there: so that none is missing and none comes twice.
 */
final class ChangeCopy implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Map<String, Integer> state = new HashMap<>(); // guarded by itself
  private final Map<String, Long> counters = new HashMap<>();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final AtomicInteger replaced = new AtomicInteger();
  private final Semaphore going = new Semaphore(1);
  private final CountDownLatch started = new CountDownLatch(1);
  private @Nullable CloseableIterator<Change<String, Integer>> changes;
  private @Nullable Thread thread;
  private volatile @Nullable Throwable failure;
  private volatile boolean closed;

  /** Begins to follow a stream with previous values, from its start; returns when it has begun. */
  void follow(ChangeStream<String, Integer> stream) throws InterruptedException {
    ChangeListener listener =
        new ChangeListener() {
          @Override
          public void started() {
            started.countDown();
          }

          @Override
          public void rangeReplaced(int segment) {
            replaced.incrementAndGet();
          }
        };
    CloseableIterator<Change<String, Integer>> iterator =
        stream.listener(listener).changes().iterator();
    changes = iterator;
    thread = new Thread(() -> run(iterator), "copy of changes");
    thread.start();
    assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  private void run(CloseableIterator<Change<String, Integer>> iterator) {
    try {
      while (!closed) {
        Change<String, Integer> next = iterator.next();
        going.acquire();
        try {
          take(next);
        } finally {
          going.release();
        }
      }
    } catch (Throwable e) {
      if (!closed) {
        synchronized (state) {
          failure = e;
          state.notifyAll();
        }
      }
    }
  }

  private void take(Change<String, Integer> change) {
    synchronized (state) {
      if (change instanceof Change.OfKey<String, Integer> ofKey) {
        told.add(
            "%s %s %s from %s"
                .formatted(ofKey.kind(), ofKey.key(), ofKey.value(), ofKey.previous()));
        Long before = counters.put(ofKey.key(), ofKey.version().counter());
        assertThat(before == null || before < ofKey.version().counter())
            .as("%s follows %s", ofKey, before)
            .isTrue();
        if (ofKey.kind() == Kind.CREATED) {
          assertThat(state).as("%s", ofKey).doesNotContainKey(ofKey.key());
        } else if (ofKey.previous() != null) {
          assertThat(state).as("%s", ofKey).containsEntry(ofKey.key(), ofKey.previous());
        }
      } else if (change instanceof Change.OfRange<String, Integer> ofRange) {
        told.add(change.kind().toString());
        if (change.kind() == Kind.REPLACED) {
          counters.keySet().removeIf(ofRange::covers);
        }
      }
      change.applyTo(state);
      state.notifyAll();
    }
  }

  /** What keys have become of, one text per element. */
  List<String> told() {
    return told;
  }

  int replaced() {
    return replaced.get();
  }

  Map<String, Integer> state() {
    synchronized (state) {
      return Map.copyOf(state);
    }
  }

  /** The consumer stops for a while. */
  void pause() throws InterruptedException {
    going.acquire();
  }

  void goOn() {
    going.release();
  }

  /** Waits until so many elements have been told. */
  List<String> told(int elements) {
    waitUntil(() -> failure != null || told.size() >= elements);
    checkRunning();
    return told;
  }

  /** Waits until the copy is what the cache is, which nobody writes any more. */
  void becomes(Cache<String, Integer> cache) {
    Map<String, Integer> content = new HashMap<>();
    cache.iterator().forEachRemaining(entry -> content.put(entry.getKey(), entry.getValue()));
    waitUntil(() -> failure != null || state().equals(content));
    checkRunning();
  }

  private void waitUntil(BooleanSupplier condition) {
    long endNanos = System.nanoTime() + PATIENCE.toNanos();
    synchronized (state) {
      while (!condition.getAsBoolean()) {
        long leftMillis = (endNanos - System.nanoTime()) / 1_000_000;
        assertThat(leftMillis).as("the copy is %s", state).isPositive();
        try {
          state.wait(leftMillis);
        } catch (InterruptedException e) {
          throw new AssertionError("interrupted", e);
        }
      }
    }
  }

  private void checkRunning() {
    Throwable cause = failure;
    if (cause != null) {
      throw new AssertionError("the stream of changes has ended", cause);
    }
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    if (changes != null) {
      changes.close();
    }
    if (thread != null) {
      thread.join(PATIENCE.toMillis());
    }
  }
}
