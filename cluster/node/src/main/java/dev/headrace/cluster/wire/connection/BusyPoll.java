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
 * that wakes up by itself, or for another thread's task, does not keep the loop awake. Used by one
 * event loop's thread.
 */
final class BusyPoll implements SelectStrategy {
  private final LongSupplier nanos;
  private final LongSupplier nanoTime;
  private long untilNanos;

  /**
   * @param nanos tells how long the loop polls; asked whenever something has arrived
   * @param nanoTime a monotonic clock
   */
  BusyPoll(LongSupplier nanos, LongSupplier nanoTime) {
    this.nanos = nanos;
    this.nanoTime = nanoTime;
    this.untilNanos = nanoTime.getAsLong();
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
    untilNanos = nanoTime.getAsLong() + nanos.getAsLong();
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
