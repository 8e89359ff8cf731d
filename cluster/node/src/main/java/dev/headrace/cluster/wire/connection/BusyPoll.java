package dev.headrace.cluster.wire.connection;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.IntSupplier;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/**
 * Lets an event loop poll for a while after something has arrived, before it blocks.
 *
 * <p>Waking a thread on an idle core costs several times as much as an operation. The thread yields
 * between two polls, so that on a machine with few cores other threads with work go first. Only a
 * ready socket counts as an arrival, whether a poll or a blocking select has found it: a selector
 * that wakes up by itself, or for another thread's task, does not keep the loop awake.
 *
 * <p>A loop to which something comes every millisecond would poll for nothing most of the time, and
 * keep a core from others. So it polls only if enough of its arrivals came so soon that a poll
 * finds them, which is what the halt polling of Linux' KVM goes by; and it tells those that follow
 * a soon one from those that follow a late one, as a branch predictor does. The primary of a write
 * waits for its backups soon after the write has come, and after their confirmations for nothing.
 *
 * <p>Used by one event loop's thread.
 */
final class BusyPoll implements SelectStrategy {
  /** About so many arrivals count for the share of those that came soon. */
  private static final double SMOOTHING_ARRIVALS = 8;

  /**
   * From this share on the loop polls. A poll in vain costs all its time, usually 100 µs; one that
   * finds something saves a wake-up of some 30 µs. So what is bought here with processor time is
   * latency. Other shares were not compared.
   */
  private static final double WORTHWHILE = 0.25;

  private final LongSupplier nanos;
  private final LongSupplier nanoTime;
  private long untilNanos;
  private long lastNanos;

  /** Whether the last arrival came while a poll would have gone on. */
  private boolean lastSoon = true;

  /** The share of such arrivals after a late one, smoothed. */
  private double soonAfterLate = 1;

  /** The same after a soon one. */
  private double soonAfterSoon = 1;

  /**
   * @param nanos tells how long the loop polls; asked whenever something has arrived
   * @param nanoTime a monotonic clock
   */
  BusyPoll(LongSupplier nanos, LongSupplier nanoTime) {
    this.nanos = nanos;
    this.nanoTime = nanoTime;
    this.untilNanos = nanoTime.getAsLong();
    this.lastNanos = untilNanos;
  }

  /**
   * Event loops on the JDK's selectors that poll.
   *
   * @throws NoClassDefFoundError with Netty 4.1
   */
  static EventLoopGroup group(int threads, ThreadFactory factory, LongSupplier nanos) {
    return new MultiThreadIoEventLoopGroup(threads, factory, handlers(nanos));
  }

  private static IoHandlerFactory handlers(LongSupplier nanos) {
    return executor -> {
      BusyPoll poll = new BusyPoll(nanos, System::nanoTime);
      IoHandler selecting =
          NioIoHandler.newFactory(SelectorProvider.provider(), () -> poll).newHandler(executor);
      return new Watched(selecting, poll);
    };
  }

  @Override
  @SuppressWarnings("ThreadPriorityCheck") // It yields for speed only; nothing relies on it.
  public int calculateStrategy(IntSupplier ready, boolean hasTasks) throws Exception {
    int keys = ready.get();
    if (hasTasks || keys > 0) {
      return keys;
    }
    if (nanoTime.getAsLong() - untilNanos >= 0) {
      return SELECT;
    }
    Thread.yield();
    return CONTINUE; // the loop runs its tasks and calls again
  }

  /** A socket was ready and has been handled. */
  void arrived() {
    long now = nanoTime.getAsLong();
    long pollNanos = nanos.getAsLong();
    boolean soon = now - lastNanos < pollNanos;
    if (lastSoon) {
      soonAfterSoon = smoothed(soonAfterSoon, soon);
    } else {
      soonAfterLate = smoothed(soonAfterLate, soon);
    }
    lastSoon = soon;
    lastNanos = now;
    double next = soon ? soonAfterSoon : soonAfterLate;
    untilNanos = next >= WORTHWHILE ? now + pollNanos : now;
  }

  private static double smoothed(double share, boolean soon) {
    return share + ((soon ? 1 : 0) - share) / SMOOTHING_ARRIVALS;
  }

  /** Tells the strategy when a round of the loop has found a ready socket. */
  private record Watched(IoHandler loop, BusyPoll poll) implements IoHandler {
    @Override
    public int run(IoHandlerContext context) {
      int handled = loop.run(context);
      if (handled > 0) {
        poll.arrived();
      }
      return handled;
    }

    @Override
    public void initialize() {
      loop.initialize();
    }

    @Override
    public void prepareToDestroy() {
      loop.prepareToDestroy();
    }

    @Override
    public void destroy() {
      loop.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      return loop.register(handle);
    }

    @Override
    public void wakeup() {
      loop.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return loop.isCompatible(handleType);
    }
  }
}
