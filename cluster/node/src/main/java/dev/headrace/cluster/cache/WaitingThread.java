package dev.headrace.cluster.cache;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.cache.CacheView.Patience;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that waits until it is its turn to change a key. */
final class WaitingThread implements KeyQueues.Waiting {

  /** Stands for a turn that was given up. */
  private static final Object GIVEN_UP = new Object();

  private final Thread thread = Thread.currentThread();

  /** Null while it waits, then the turn or {@link #GIVEN_UP}. */
  private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

  @Override
  public boolean begin(KeyQueues.Permit permit) {
    boolean begins = state.compareAndSet(null, permit);
    LockSupport.unpark(thread);
    return begins;
  }

  /**
   * Waits for the turn. Only the thread that made this may call it.
   *
   * @throws UnavailableException if the turn does not come in time
   * @throws dev.headrace.api.error.HeadraceException if the thread is interrupted, whose flag stays
   *     set
   */
  KeyQueues.Permit await(String cache, Patience patience) {
    long sinceNanos = patience.nanoTime().getAsLong();
    while (true) {
      if (state.get() instanceof KeyQueues.Permit permit) {
        return permit;
      }
      boolean interrupted = Thread.currentThread().isInterrupted();
      long leftNanos = sinceNanos + patience.operationNanos() - patience.nanoTime().getAsLong();
      if ((interrupted || leftNanos <= 0) && state.compareAndSet(null, GIVEN_UP)) {
        throw interrupted ? Failures.interrupted(cache, false) : tooLate(cache);
      }
      LockSupport.parkNanos(this, leftNanos);
    }
  }

  /** The exception for a computation whose turn has not come in time. */
  static UnavailableException tooLate(String cache) {
    return new UnavailableException(
        ("A computation on a key of cache \"%s\" has waited for its turn behind other computations"
                + " of this node for as long as operationTimeout, and nothing was written: try"
                + " again, or raise operationTimeout")
            .formatted(cache),
        FaultScope.ofCache(cache));
  }

  /** The exception for a computation for which there is no room. */
  static UnavailableException tooMany(String cache) {
    return new UnavailableException(
        "%d computations of this node wait for others of the same keys, and one on a key of cache \"%s\" is too many; nothing was written: wait for some to end"
            .formatted(KeyQueues.MAX_WAITING, cache),
        FaultScope.ofCache(cache));
  }
}
