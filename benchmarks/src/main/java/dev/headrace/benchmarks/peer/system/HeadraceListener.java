package dev.headrace.benchmarks.peer.system;

import dev.headrace.api.Cache;
import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.ChangeListener;
import dev.headrace.api.stream.CloseableIterator;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** A thread that pulls Headrace's changes. */
final class HeadraceListener {
  private final CloseableIterator<Change<String, byte[]>> changes;
  private final Thread thread;
  private volatile boolean ended;

  /** Follows from now on. */
  HeadraceListener(Cache<String, byte[]> cache, Consumer<byte[]> told) {
    CountDownLatch started = new CountDownLatch(1);
    ChangeListener listener =
        new ChangeListener() {
          @Override
          public void started() {
            started.countDown();
          }
        };
    changes = cache.changes().listener(listener).changes().iterator();
    thread = new Thread(() -> run(told), "listener");
    thread.setDaemon(true);
    thread.start();
    try {
      started.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("The trial was interrupted", e);
    }
  }

  private void run(Consumer<byte[]> told) {
    try {
      while (!ended) {
        if (changes.next() instanceof Change.OfKey<String, byte[]> change) {
          byte[] value = change.value();
          if (value != null) {
            told.accept(value);
          }
        }
      }
    } catch (RuntimeException e) {
      if (!ended) { // closing it ends a wait like this
        throw e;
      }
    }
  }

  /** Ends it. */
  void end() {
    ended = true;
    changes.close();
  }
}
