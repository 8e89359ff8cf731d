package dev.headrace.http.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The end of the present state of a connection, which is closed then. Moving it costs nothing but a
 * comparison now and then. For the event loop.
 */
final class ConnectionDeadline {
  private long atNanos;
  private boolean set;
  private @Nullable ScheduledFuture<?> check;

  /**
   * The state ends so many nanoseconds from now, unless this or {@link #cancel} is called again.
   */
  void in(ChannelHandlerContext ctx, long nanos) {
    atNanos = System.nanoTime() + nanos;
    set = true;
    ScheduledFuture<?> pending = check;
    if (pending != null && pending.getDelay(TimeUnit.NANOSECONDS) > nanos) {
      pending.cancel(false);
      check = null;
    }
    if (check == null) {
      schedule(ctx, nanos);
    }
  }

  private void schedule(ChannelHandlerContext ctx, long nanos) {
    check = ctx.executor().schedule(() -> due(ctx), nanos, TimeUnit.NANOSECONDS);
  }

  private void due(ChannelHandlerContext ctx) {
    check = null;
    if (!set) {
      return;
    }
    long left = atNanos - System.nanoTime();
    if (left <= 0) {
      var unused = ctx.close();
    } else {
      schedule(ctx, left);
    }
  }

  /** The state has no end. */
  void cancel() {
    set = false;
  }
}
