package dev.headrace.cluster.wire.connection;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;

/**
 * An event loop that looks for more for a while after something arrived, before it blocks.
 *
 * <p>Waking a thread on an idle core costs several times what an operation does. The thread yields
 * between two looks, so that on a machine with few cores whoever has work goes first; an idle loop
 * blocks and costs nothing. Belongs to one event loop's thread.
 */
final class BusyPoll implements SelectStrategy {
  private final long nanos;
  private long untilNanos = System.nanoTime();
  private boolean blocked;

  BusyPoll(long nanos) {
    this.nanos = nanos;
  }

  @Override
  @SuppressWarnings("ThreadPriorityCheck") // It yields for speed only; nothing relies on it.
  public int calculateStrategy(IntSupplier ready, boolean hasTasks) throws Exception {
    int keys = ready.get();
    long now = System.nanoTime();
    boolean busy = hasTasks || keys > 0;
    if (busy || blocked) {
      // What ended the blocking has been dealt with by now, and counts as something that arrived.
      untilNanos = now + nanos;
      blocked = false;
    }
    if (busy) {
      return keys;
    }
    if (now - untilNanos >= 0) {
      blocked = true;
      return SELECT;
    }
    Thread.yield();
    return CONTINUE; // the loop looks at its tasks and asks again
  }
}
