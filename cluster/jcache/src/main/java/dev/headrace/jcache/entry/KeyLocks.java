package dev.headrace.jcache.entry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.cache.CacheException;

/**
 * Locks for the keys of one cache of one manager, so that its operations on a key follow one
 * another: several keys share a lock. They are held while user code runs, and so are not waited for
 * without end: two operations whose user code uses the cache itself may wait for each other.
 */
public final class KeyLocks {
  private static final int LOCKS = 256;

  private final List<ReentrantLock> locks;
  private final Duration patience;

  /**
   * Locks that are free.
   *
   * @param patience how long a lock is waited for
   */
  public KeyLocks(Duration patience) {
    List<ReentrantLock> all = new ArrayList<>();
    for (int i = 0; i < LOCKS; i++) {
      all.add(new ReentrantLock());
    }
    this.locks = List.copyOf(all);
    this.patience = patience;
  }

  /** Locks that a thread holds. */
  public interface Held extends AutoCloseable {
    /** Gives them back; to be called by the thread that got them. */
    @Override
    void close();
  }

  /**
   * Waits for the lock of a key.
   *
   * @throws CacheException if it is not free in time, or the thread is interrupted
   */
  public Held hold(Object key) {
    ReentrantLock lock = locks.get(indexOf(key));
    acquire(lock);
    return lock::unlock;
  }

  /**
   * Waits for the locks of several keys.
   *
   * @throws CacheException if they are not free in time, or the thread is interrupted
   */
  public Held holdAll(Collection<?> keys) {
    TreeSet<Integer> indices = new TreeSet<>(); // In one order everywhere, against deadlocks.
    keys.forEach(key -> indices.add(indexOf(key)));
    List<ReentrantLock> held = new ArrayList<>();
    Held all =
        () -> {
          Collections.reverse(held);
          held.forEach(ReentrantLock::unlock);
        };
    try {
      for (int index : indices) {
        acquire(locks.get(index));
        held.add(locks.get(index));
      }
      return all;
    } catch (CacheException e) {
      all.close();
      throw e;
    }
  }

  private static int indexOf(Object key) {
    int hash = key.hashCode() * 0x9E3779B9;
    return (hash >>> 16) % LOCKS;
  }

  private void acquire(ReentrantLock lock) {
    try {
      if (!lock.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new CacheException(
            "Other operations of this CacheManager have held the key for "
                + patience
                + ": look for a loader, writer, entry processor or listener that does not return or"
                + " uses the cache itself");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CacheException("Interrupted while waiting for another operation on the key", e);
    }
  }
}
