package dev.headrace.stream;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A bound on what is under way, which many threads take from and give back to at once: a semaphore
 * that never waits.
 *
 * <p>Threads are spread over stripes. Each stripe has some permits in stock, and fetches or returns
 * a chunk of them when it has too few or too many, so that threads hardly ever write to the same
 * cache line. Before anything is refused all stocks are gathered: the bound is exact. Thread-safe,
 * without locks.
 */
public final class StripedPermits {
  private static final int STRIPES = 64;

  /** Of a stripe, in numbers of 8 bytes: two cache lines, since processors fetch pairs. */
  private static final int STRIDE = 16;

  /** A full stock is one part in so many of all permits, at most. */
  private static final int STOCK_PART = 256;

  private final long permits;
  private final long chunk;

  /** What no stripe has in stock; below zero if more was taken than there is. */
  private final AtomicLong pool;

  private final AtomicLongArray stocks = new AtomicLongArray(STRIPES * STRIDE);

  /**
   * A bound that nothing is taken of yet.
   *
   * @param permits how many there are
   * @param maxChunk the most that a stripe fetches at once beyond what is asked for
   */
  public StripedPermits(long permits, long maxChunk) {
    this.permits = permits;
    this.chunk = Math.min(maxChunk, permits / STOCK_PART);
    this.pool = new AtomicLong(permits);
  }

  /** Takes permits; false if there are not so many, and then it takes none. */
  public boolean take(long count) {
    int stripe = stripe();
    return takeFromStock(stripe, count)
        || takeAndStock(stripe, count)
        || takeFromPool(count)
        || gather(count);
  }

  /** Takes permits even if there are none. */
  public void takeAnyway(long count) {
    if (!take(count)) {
      pool.addAndGet(-count);
    }
  }

  /** Gives back what was taken, perhaps by another thread. */
  public void giveBack(long count) {
    if (pool.get() < 0) {
      pool.addAndGet(count);
      return;
    }
    int stripe = stripe();
    long stock = stocks.addAndGet(stripe, count);
    if (stock > 2 * chunk && stocks.compareAndSet(stripe, stock, chunk)) {
      pool.addAndGet(stock - chunk);
    }
  }

  /** How many are taken: exact while no thread takes or gives back. */
  public long taken() {
    long left = pool.get();
    for (int stripe = 0; stripe < stocks.length(); stripe += STRIDE) {
      left += stocks.get(stripe);
    }
    return permits - left;
  }

  private static int stripe() {
    return ((int) Thread.currentThread().getId() & (STRIPES - 1)) * STRIDE;
  }

  private boolean takeFromStock(int stripe, long count) {
    for (long stock = stocks.get(stripe); stock >= count; stock = stocks.get(stripe)) {
      if (stocks.compareAndSet(stripe, stock, stock - count)) {
        return true;
      }
    }
    return false;
  }

  private boolean takeAndStock(int stripe, long count) {
    if (chunk > 0 && takeFromPool(count + chunk)) {
      stocks.addAndGet(stripe, chunk);
      return true;
    }
    return false;
  }

  private boolean takeFromPool(long count) {
    for (long left = pool.get(); left >= count; left = pool.get()) {
      if (pool.compareAndSet(left, left - count)) {
        return true;
      }
    }
    return false;
  }

  /** Empties all stocks into the pool before it takes from there. */
  private boolean gather(long count) {
    for (int stripe = 0; stripe < stocks.length(); stripe += STRIDE) {
      long stock = stocks.get(stripe) > 0 ? stocks.getAndSet(stripe, 0) : 0;
      if (stock > 0) {
        pool.addAndGet(stock);
      }
    }
    return takeFromPool(count);
  }
}
