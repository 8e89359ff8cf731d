package dev.headrace.cluster.ingest.batch;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes that have ended and have not been seen by the loop: a list that any thread adds to without
 * a lock, and without an object for each.
 */
public final class EndedWrites {
  private final AtomicReference<@Nullable PendingWrite> last = new AtomicReference<>();

  /** A write has ended; on any thread. */
  public void add(PendingWrite write) {
    PendingWrite before = last.get();
    write.endedNext = before;
    while (!last.compareAndSet(before, write)) {
      before = last.get();
      write.endedNext = before;
    }
  }

  /** Takes all of them, in no order; by one thread at a time. */
  public void takeAll(Consumer<PendingWrite> action) {
    PendingWrite next = last.getAndSet(null);
    while (next != null) {
      PendingWrite write = next;
      next = write.endedNext;
      write.endedNext = null;
      action.accept(write);
    }
  }
}
