package dev.headrace.benchmarks.http.client;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a run. It has one request under way at a time; those that are due meanwhile
 * wait, and their time runs. All fields belong to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write that fails comes to exceptionCaught.
final class LoadConnection extends SimpleChannelInboundHandler<HttpObject> {
  private final LoadRun run;
  private final int step;
  private @Nullable ChannelHandlerContext context;
  private long next;
  private long due;
  private boolean busy;
  private long inFlight;
  private int status;
  private long bodyBytes;

  /**
   * @param first the number of its first request
   * @param step from one of its requests to the next
   */
  LoadConnection(LoadRun run, long first, int step) {
    this.run = run;
    this.next = first;
    this.step = step;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /** One more of its requests is due. */
  void release() {
    due++;
    sendNext();
  }

  private void sendNext() {
    ChannelHandlerContext ctx = context;
    if (busy || due == 0 || ctx == null || run.isOver()) {
      return;
    }
    busy = true;
    due--;
    inFlight = next;
    next += step;
    ctx.writeAndFlush(run.request(ctx.alloc(), inFlight), ctx.voidPromise());
  }

  /** The first of its requests that is due and not answered; -1 if there is none. */
  long oldest() {
    if (busy) {
      return inFlight;
    }
    return due > 0 ? next : -1;
  }

  /** How many of its requests are due and not answered; they begin at {@link #oldest}. */
  long unanswered() {
    return due + (busy ? 1 : 0);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject part) {
    if (part.decoderResult().isFailure()) {
      run.broken(String.valueOf(part.decoderResult().cause()));
      return;
    }
    if (part instanceof HttpResponse head) {
      status = head.status().code();
      bodyBytes = 0;
    }
    if (part instanceof HttpContent content) {
      bodyBytes += content.content().readableBytes();
    }
    if (part instanceof LastHttpContent) {
      busy = false;
      run.answered(inFlight, status, bodyBytes);
      sendNext();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    run.broken("the node has closed a connection");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    run.broken(String.valueOf(cause));
  }
}
