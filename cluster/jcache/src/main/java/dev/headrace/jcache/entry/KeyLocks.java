package dev.headrace.jcache.entry;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.cache.CacheException;

/**
 * Locks for the keys of one cache of one manager, so that its operations on a key follow one
 * another. Each key has its own, as long as somebody holds it or waits for it. They are held while
 * user code runs, and so are not waited for without end: two operations whose user code uses the
 * cache itself may wait for each other. Thread-safe.
 */
public final class KeyLocks {
  private final ConcurrentMap<KeyBytes, KeyLock> locks = new ConcurrentHashMap<>();
  private final Duration patience;

  /**
   * Locks that are free.
   *
   * @param patience how long a lock is waited for
   */
  public KeyLocks(Duration patience) {
    this.patience = patience;
  }

  /** Locks that a thread holds. */
  public interface Held extends AutoCloseable {
    /** Gives them back; to be called by the thread that got them. */
    @Override
    void close();
  }

  /** The lock of a key. */
  private static final class KeyLock {
    private final KeyBytes key;
    private final ReentrantLock lock = new ReentrantLock();

    /** How many calls hold the lock or wait for it. Changed in computations of the map only. */
    private int users;

    KeyLock(KeyBytes key) {
      this.key = key;
    }
  }

  /**
   * Waits for the lock of a key.
   *
   * @throws CacheException if it is not free in time, the thread is interrupted, or the key cannot
   *     be stored
   */
  public Held hold(Object key) {
    KeyLock held = acquire(KeyBytes.of(key));
    return () -> release(held);
  }

  /**
   * Waits for the locks of several keys.
   *
   * @throws CacheException as above
   */
  public Held holdAll(Collection<?> keys) {
    TreeSet<KeyBytes> ordered = new TreeSet<>(); // In one order everywhere, against deadlocks.
    keys.forEach(key -> ordered.add(KeyBytes.of(key)));
    Deque<KeyLock> held = new ArrayDeque<>();
    Held all = () -> held.forEach(this::release);
    try {
      ordered.forEach(key -> held.push(acquire(key)));
      return all;
    } catch (RuntimeException | Error e) {
      all.close();
      throw e;
    }
  }

  /** How many keys are held or waited for. */
  int size() {
    return locks.size();
  }

  private KeyLock acquire(KeyBytes key) {
    KeyLock lock =
        locks.compute(
            key,
            (same, present) -> {
              KeyLock used = present == null ? new KeyLock(key) : present;
              used.users++;
              return used;
            });
    boolean acquired = false;
    try {
      acquired = lock.lock.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CacheException("Interrupted while waiting for another operation on the key", e);
    } finally {
      if (!acquired) {
        leave(lock);
      }
    }
    if (!acquired) {
      throw new CacheException(
          "Other operations of this CacheManager have held the key for "
              + patience
              + ": look for a loader, writer, entry processor or listener that does not return or"
              + " uses the cache itself");
    }
    return lock;
  }

  private void release(KeyLock held) {
    held.lock.unlock();
    leave(held);
  }

  private void leave(KeyLock left) {
    locks.computeIfPresent(
        left.key,
        (same, present) -> {
          present.users--;
          return present.users == 0 ? null : present;
        });
  }
}
