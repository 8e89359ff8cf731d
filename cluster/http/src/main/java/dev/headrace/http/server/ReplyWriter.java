package dev.headrace.http.server;

import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.StreamedBody;
import dev.headrace.http.exchange.Verb;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the replies of one connection, one after the other. While bytes wait that the client does
 * not take, its time runs; while a reply has nothing to send, no time runs, and it says now and
 * then that it goes on, if its form allows that. For the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners are told what becomes of writes.
final class ReplyWriter {
  private static final Logger LOG = LoggerFactory.getLogger(ReplyWriter.class);

  /** How often a streamed reply is looked at whose reader may stand still. */
  private static final long STALL_NANOS = 250_000_000L;

  private final PortLimits limits;
  private final PortListener listener;
  private final ConnectionDeadline deadline;
  private final ReplyBudget replies;
  private @Nullable StreamedBody streaming;
  private @Nullable ScheduledFuture<?> heartbeat;
  private @Nullable ScheduledFuture<?> stallWatch;
  private boolean quiet;

  /**
   * To whom a reply is.
   *
   * @param verb of the request
   * @param oldVersion whether it is one of HTTP/1.0
   * @param keepAlive whether another request may follow
   * @param origin the foreign origin of the web page that asks; null for none
   */
  record Addressee(Verb verb, boolean oldVersion, boolean keepAlive, @Nullable String origin) {}

  ReplyWriter(
      PortLimits limits, PortListener listener, ConnectionDeadline deadline, ReplyBudget replies) {
    this.limits = limits;
    this.listener = listener;
    this.deadline = deadline;
    this.replies = replies;
  }

  /** Whether the end of a reply is that of the connection, since the client knows no chunks. */
  static boolean endsConnection(HttpReply reply, boolean oldVersion) {
    return reply.isStreamed() && oldVersion;
  }

  /**
   * Writes a reply.
   *
   * @param reply what the port has admitted
   * @param done run when it was sent as a whole; otherwise the connection is closed
   */
  void write(ChannelHandlerContext ctx, Addressee to, HttpReply reply, Runnable done) {
    deadline.in(ctx, limits.stallTimeout().toNanos());
    HttpResponseStatus status =
        reply.reason() == null
            ? HttpResponseStatus.valueOf(reply.status())
            : new HttpResponseStatus(reply.status(), reply.reason());
    StreamedBody body = reply.streamed();
    if (body != null && to.verb() != Verb.HEAD) {
      stream(ctx, to, reply, status, body, done);
      return;
    }
    if (body != null) {
      body.cancelled();
    }
    whole(ctx, to, reply, status, done);
  }

  /** The connection was closed. */
  void closed() {
    StreamedBody body = streaming;
    ended();
    if (body != null) {
      body.cancelled();
    }
  }

  private void whole(
      ChannelHandlerContext ctx,
      Addressee to,
      HttpReply reply,
      HttpResponseStatus status,
      Runnable done) {
    DefaultFullHttpResponse response =
        to.verb() == Verb.HEAD
            ? new ReplyEncoder.HeadersOnly(status)
            : new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(reply.body()));
    headers(response, to, reply);
    if (reply.status() != 204 && reply.status() != 304) {
      if (!reply.isStreamed()) {
        response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, reply.body().length);
      } else if (!to.oldVersion()) {
        response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
      }
    }
    // The listener must not keep the body: the socket has a copy of its own.
    int length = to.verb() == Verb.HEAD ? 0 : reply.body().length;
    long counted = ReplyBudget.countedBytes(to.verb(), reply);
    ctx.writeAndFlush(response)
        .addListener(
            (ChannelFuture sent) -> {
              replies.release(counted);
              if (sent.isSuccess()) {
                listener.sent(length);
                done.run();
              } else {
                ctx.close();
              }
            });
  }

  private void stream(
      ChannelHandlerContext ctx,
      Addressee to,
      HttpReply reply,
      HttpResponseStatus status,
      StreamedBody body,
      Runnable done) {
    HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
    if (!to.oldVersion()) {
      response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
    headers(response, to, reply);
    streaming = body;
    ChannelSink sink = new ChannelSink(ctx.channel(), body, new Watching(ctx, done));
    ctx.writeAndFlush(response)
        .addListener(
            (ChannelFuture sent) -> {
              if (sent.isSuccess() && streaming == body && sink.isQuiet()) {
                deadline.cancel();
              }
            });
    try {
      body.begin(sink);
    } catch (RuntimeException e) { // a fault of ours; the client must not wait for what never comes
      LOG.error("A reply could not begin", e);
      ctx.close();
      return;
    }
    if (streaming != body) {
      return; // it has ended already
    }
    stallWatch =
        ctx.executor()
            .scheduleAtFixedRate(
                () -> watch(sink, body), STALL_NANOS, STALL_NANOS, TimeUnit.NANOSECONDS);
    if (body.whileQuiet().length > 0) {
      long nanos = limits.heartbeat().toNanos();
      heartbeat =
          ctx.executor()
              .scheduleAtFixedRate(() -> beat(sink, body), nanos, nanos, TimeUnit.NANOSECONDS);
    }
  }

  private static void watch(ChannelSink sink, StreamedBody body) {
    if (sink.isStalled()) {
      body.stalled();
    }
  }

  private void beat(ChannelSink sink, StreamedBody body) {
    if (quiet && sink.isQuiet()) {
      sink.write(body.whileQuiet());
    }
    quiet = true;
  }

  private void ended() {
    streaming = null;
    cancel(heartbeat);
    cancel(stallWatch);
    heartbeat = null;
    stallWatch = null;
  }

  private static void cancel(@Nullable ScheduledFuture<?> task) {
    if (task != null) {
      task.cancel(false);
    }
  }

  /** Watches one streamed reply. */
  private final class Watching implements ChannelSink.Watcher {
    private final ChannelHandlerContext ctx;
    private final Runnable done;

    Watching(ChannelHandlerContext ctx, Runnable done) {
      this.ctx = ctx;
      this.done = done;
    }

    @Override
    public void waiting() {
      quiet = false;
      deadline.in(ctx, limits.stallTimeout().toNanos());
    }

    @Override
    public void taken(int bytes, boolean all) {
      listener.sent(bytes);
      if (all) {
        deadline.cancel();
      } else {
        deadline.in(ctx, limits.stallTimeout().toNanos());
      }
    }

    @Override
    public void ended() {
      ReplyWriter.this.ended();
      done.run();
    }
  }

  private static void headers(HttpResponse response, Addressee to, HttpReply reply) {
    HttpHeaders headers = response.headers();
    reply.headers().forEach(headers::set);
    headers.set("x-content-type-options", "nosniff");
    if (to.origin() != null) {
      headers.set("access-control-allow-origin", to.origin()).add("vary", "Origin");
      headers.set("access-control-expose-headers", "ETag, Headrace-Expires, Headrace-Resume");
    }
    if (!to.keepAlive()) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (to.oldVersion()) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
  }
}
