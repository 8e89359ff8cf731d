package dev.headrace.http.server;

import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Problems;
import dev.headrace.http.exchange.QueryParameters;
import dev.headrace.http.exchange.Router;
import dev.headrace.http.exchange.StreamedBody;
import dev.headrace.http.exchange.Verb;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One connection. It has one request at a time; further ones wait in the socket.
 *
 * <pre>
 * state     event                guard                next      effects
 * -------------------------------------------------------------------------------------------
 * WAITING   request line, headers  they are in order    READING   find the route, check the proof
 * WAITING   request line, headers  they are not         REPLYING  send the problem, then close
 * READING   part of the body       it is short enough   READING   keep it
 * READING   part of the body       it is too long       REPLYING  send the problem, then close
 * READING   end of the body                             ANSWERING let the route answer
 * ANSWERING the reply                                   REPLYING  send it
 * REPLYING  it was sent            keep-alive           WAITING   read on
 * REPLYING  it was sent            none                 CLOSING   send the end, drop what comes
 * any       its time is over                            CLOSED
 * </pre>
 *
 * <p>All fields belong to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners are told what becomes of writes.
final class HttpConnection extends ChannelInboundHandlerAdapter {
  private static final System.Logger LOG = System.getLogger(HttpConnection.class.getName());
  private static final long CLOSING_SECONDS = 2;
  private static final long BODY_SECONDS = 20;

  private enum State {
    WAITING,
    READING,
    ANSWERING,
    REPLYING,
    CLOSING
  }

  private final HttpPort.Parts parts;
  private final AtomicLong bodyBytes;
  private final boolean refused;
  private final Deadline deadline = new Deadline();

  private final ArrayDeque<Object> inbox = new ArrayDeque<>();
  private boolean wanted;
  private boolean draining;
  private State state = State.WAITING;
  private Verb verb = Verb.OTHER;
  private @Nullable HttpRequest request;
  private @Nullable HttpCall call;
  private Router.@Nullable Match match;
  private @Nullable BodyReader reader;
  private @Nullable StreamedBody streaming;
  private @Nullable String allowedOrigin;
  private boolean keepAlive;
  private long readNanos;

  /**
   * @param bodyBytes the bytes of all bodies of the port
   * @param refused whether there are too many connections already
   */
  HttpConnection(HttpPort.Parts parts, AtomicLong bodyBytes, boolean refused) {
    this.parts = parts;
    this.bodyBytes = bodyBytes;
    this.refused = refused;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    parts.listener().opened();
    deadline.in(ctx, parts.limits().requestTimeout().toNanos());
    if (refused) {
      problem(
          ctx,
          new ProblemException(503, "The node has too many connections; try again later")
              .with("retry-after", "1"));
    } else {
      next(ctx);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    parts.listener().closed();
    deadline.cancel();
    releaseBody();
    inbox.forEach(ReferenceCountUtil::release);
    inbox.clear();
    StreamedBody body = streaming;
    streaming = null;
    if (body != null) {
      body.cancelled();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.log(System.Logger.Level.DEBUG, "A connection of HTTP failed", cause);
    ctx.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    inbox.add(message);
    drain(ctx);
  }

  /** Asks for the next part of a request. */
  private void next(ChannelHandlerContext ctx) {
    wanted = true;
    drain(ctx);
  }

  /**
   * Handles what has arrived as long as it is wanted. What was read together with it waits: the
   * socket is read again only when nothing waits any more.
   */
  private void drain(ChannelHandlerContext ctx) {
    if (draining) {
      return; // whoever drains looks again
    }
    draining = true;
    try {
      while (wanted && !inbox.isEmpty()) {
        wanted = false;
        handle(ctx, inbox.remove());
      }
    } finally {
      draining = false;
    }
    if (wanted) {
      ctx.read();
    }
  }

  private void handle(ChannelHandlerContext ctx, Object message) {
    try {
      if (message instanceof HttpRequest head && state == State.WAITING) {
        begin(ctx, head);
      }
      if (message instanceof HttpContent content && state == State.READING) {
        body(ctx, content);
      } else if (state == State.WAITING || state == State.CLOSING) {
        // The rest of a request that was answered before its end; what comes while the connection
        // is being closed is dropped, so that the client can read its reply.
        next(ctx);
      }
    } catch (ProblemException e) {
      problem(ctx, e);
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  // ---- The request

  private void begin(ChannelHandlerContext ctx, HttpRequest head) {
    request = head;
    verb = Verb.of(head.method().name());
    keepAlive = false; // until it is known to be in order
    match = null;
    allowedOrigin = null;
    checkSyntax(head);
    HttpHeaders headers = head.headers();
    int question = head.uri().indexOf('?');
    String path = question < 0 ? head.uri() : head.uri().substring(0, question);
    allowedOrigin =
        parts
            .rules()
            .checkCaller(headers.get(HttpHeaderNames.HOST), headers.get(HttpHeaderNames.ORIGIN));
    if (allowedOrigin != null && head.method().name().equals("OPTIONS")) {
      keepAlive = HttpUtil.isKeepAlive(head);
      preflight(ctx);
      return;
    }
    Router.Match found = parts.router().find(verb, path);
    match = found;
    if (!found.route().open()) {
      parts.rules().checkProof(headers.get(HttpHeaderNames.AUTHORIZATION), isCertified(ctx));
    }
    call =
        new HttpCall(
            verb,
            path,
            Map.of(),
            QueryParameters.parse(question < 0 ? "" : head.uri().substring(question + 1)),
            name -> joined(headers.getAll(name)),
            new byte[0]);
    BodyReader fresh = new BodyReader(parts.limits(), bodyBytes);
    reader = fresh;
    fresh.expect(Math.max(0, HttpUtil.getContentLength(head, 0L)));
    state = State.READING;
    readNanos = System.nanoTime();
    deadline.in(ctx, TimeUnit.SECONDS.toNanos(BODY_SECONDS));
    expectation(ctx, headers);
    keepAlive = HttpUtil.isKeepAlive(head);
    if (!(head instanceof LastHttpContent)) {
      next(ctx);
    }
  }

  private static void checkSyntax(HttpRequest head) {
    DecoderResult result = head.decoderResult();
    if (result.isFailure()) {
      throw syntaxProblem(result.cause());
    }
    HttpVersion version = head.protocolVersion();
    if (version.majorVersion() != 1) {
      throw new ProblemException(505, "This node speaks HTTP/1.1");
    }
    int hosts = head.headers().getAll(HttpHeaderNames.HOST).size();
    if (hosts > 1 || (hosts == 0 && version.minorVersion() >= 1)) {
      throw new ProblemException(400, "A request of HTTP/1.1 has one Host header");
    }
    if (!head.uri().startsWith("/")) {
      throw new ProblemException(400, "The target of a request is a path, which begins with /");
    }
  }

  private static ProblemException syntaxProblem(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return new ProblemException(
          414, "A request line may have " + PortLimits.LINE_BYTES + " bytes; use a shorter URL");
    } else if (cause instanceof TooLongHttpHeaderException) {
      return new ProblemException(
          431,
          "The headers of a request may have " + PortLimits.HEADER_BYTES + " bytes; send fewer");
    }
    return new ProblemException(400, "This is not a request of HTTP/1.1", cause);
  }

  private static void expectation(ChannelHandlerContext ctx, HttpHeaders headers) {
    String expected = headers.get(HttpHeaderNames.EXPECT);
    if (expected == null) {
      return;
    }
    if (!expected.equalsIgnoreCase("100-continue")) {
      throw new ProblemException(417, "This node knows the expectation 100-continue only");
    }
    ctx.writeAndFlush(
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
  }

  private static @Nullable String joined(List<String> values) {
    return values.isEmpty() ? null : values.size() == 1 ? values.get(0) : String.join(", ", values);
  }

  private static boolean isCertified(ChannelHandlerContext ctx) {
    SslHandler tls = ctx.pipeline().get(SslHandler.class);
    if (tls == null) {
      return false;
    }
    try {
      return tls.engine().getSession().getPeerCertificates().length > 0;
    } catch (javax.net.ssl.SSLPeerUnverifiedException e) {
      return false; // it has shown none
    }
  }

  private void body(ChannelHandlerContext ctx, HttpContent content) {
    if (content.decoderResult().isFailure()) {
      throw syntaxProblem(content.decoderResult().cause());
    }
    BodyReader present = reader;
    if (present == null) {
      return;
    }
    present.add(content.content());
    if (content instanceof LastHttpContent) {
      answer(ctx, present);
    } else {
      long earned = present.length() * 1_000_000_000L / PortLimits.BODY_BYTES_PER_SECOND;
      long spent = System.nanoTime() - readNanos;
      deadline.in(ctx, TimeUnit.SECONDS.toNanos(BODY_SECONDS) + earned - spent);
      next(ctx);
    }
  }

  // ---- The reply

  private void answer(ChannelHandlerContext ctx, BodyReader present) {
    HttpCall head = call;
    Router.Match found = match;
    if (head == null || found == null) {
      throw new IllegalStateException("a body without a request");
    }
    state = State.ANSWERING;
    deadline.cancel(); // every operation of the node has a time-out of its own
    readNanos = System.nanoTime();
    HttpCall whole =
        new HttpCall(
            head.verb(),
            head.path(),
            head.variables(),
            head.query(),
            head.headers(),
            present.body());
    try {
      var unused =
          found
              .answer(whole)
              .whenComplete(
                  (reply, failure) ->
                      onLoop(ctx, failure == null ? reply : Problems.reply(failure)));
    } catch (RuntimeException e) {
      reply(ctx, Problems.reply(e));
    }
  }

  private void onLoop(ChannelHandlerContext ctx, HttpReply reply) {
    if (ctx.executor().inEventLoop()) {
      reply(ctx, reply);
    } else {
      ctx.executor().execute(() -> reply(ctx, reply));
    }
  }

  private void preflight(ChannelHandlerContext ctx) {
    reply(
        ctx,
        HttpReply.of(204)
            .with("access-control-allow-methods", "GET, HEAD, PUT, POST, DELETE")
            .with(
                "access-control-allow-headers",
                "authorization, content-type, if-match, if-none-match, last-event-id")
            .with("access-control-max-age", "600"));
  }

  private void problem(ChannelHandlerContext ctx, ProblemException problem) {
    keepAlive = false;
    reply(ctx, Problems.reply(problem));
  }

  private void reply(ChannelHandlerContext ctx, HttpReply reply) {
    releaseBody();
    StreamedBody body = reply.streamed();
    if (!ctx.channel().isActive()) {
      if (body != null) {
        body.cancelled();
      }
      return;
    }
    state = State.REPLYING;
    parts
        .listener()
        .answered(
            verb,
            match == null ? null : match.route().template(),
            reply.status(),
            match == null ? 0 : System.nanoTime() - readNanos);
    deadline.in(ctx, parts.limits().stallTimeout().toNanos());
    HttpResponseStatus status =
        reply.reason() == null
            ? HttpResponseStatus.valueOf(reply.status())
            : new HttpResponseStatus(reply.status(), reply.reason());
    if (body == null || verb == Verb.HEAD) {
      if (body != null) {
        body.cancelled();
      }
      whole(ctx, reply, status);
    } else {
      stream(ctx, reply, status, body);
    }
  }

  private void whole(ChannelHandlerContext ctx, HttpReply reply, HttpResponseStatus status) {
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(reply.body()));
    headers(response, reply);
    if (reply.status() != 204 && reply.status() != 304) {
      if (reply.streamed() == null) {
        response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, reply.body().length);
      } else {
        response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
      }
    }
    ctx.writeAndFlush(response)
        .addListener(
            (ChannelFuture done) -> {
              if (done.isSuccess()) {
                parts.listener().sent(reply.body().length);
                replied(ctx);
              } else {
                ctx.close();
              }
            });
  }

  private void stream(
      ChannelHandlerContext ctx, HttpReply reply, HttpResponseStatus status, StreamedBody body) {
    HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
    HttpRequest asked = request;
    if (asked != null && asked.protocolVersion().minorVersion() == 0) {
      keepAlive = false; // HTTP/1.0 knows no chunks; the end of the connection is that of the body
    } else {
      response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
    headers(response, reply);
    streaming = body;
    ctx.writeAndFlush(response);
    long stallNanos = parts.limits().stallTimeout().toNanos();
    body.begin(
        new ChannelSink(
            ctx.channel(),
            body,
            bytes -> {
              parts.listener().sent(bytes);
              deadline.in(ctx, stallNanos);
            },
            () -> {
              streaming = null;
              replied(ctx);
            }));
  }

  private void headers(HttpResponse response, HttpReply reply) {
    HttpHeaders headers = response.headers();
    reply.headers().forEach(headers::set);
    headers.set("x-content-type-options", "nosniff");
    if (allowedOrigin != null) {
      headers.set("access-control-allow-origin", allowedOrigin).add("vary", "Origin");
      headers.set("access-control-expose-headers", "ETag, Headrace-Expires, Headrace-Resume");
    }
    if (!keepAlive) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (request != null && request.protocolVersion().minorVersion() == 0) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
  }

  private void replied(ChannelHandlerContext ctx) {
    request = null;
    call = null;
    if (!keepAlive) {
      endOutput(ctx);
      return;
    }
    state = State.WAITING;
    deadline.in(ctx, parts.limits().idleTimeout().toNanos());
    next(ctx);
  }

  /**
   * Ends the connection so that the client gets its reply: closing a socket with unread bytes would
   * make the system drop what the client has not received.
   */
  private void endOutput(ChannelHandlerContext ctx) {
    if (ctx.pipeline().get(SslHandler.class) != null
        || !(ctx.channel() instanceof DuplexChannel duplex)) {
      ctx.close();
      return;
    }
    state = State.CLOSING;
    deadline.in(ctx, TimeUnit.SECONDS.toNanos(CLOSING_SECONDS));
    duplex.shutdownOutput().addListener(done -> next(ctx));
  }

  private void releaseBody() {
    BodyReader present = reader;
    reader = null;
    if (present != null) {
      present.release();
    }
  }

  /** The end of the present state. Moving it costs nothing but a comparison now and then. */
  private static final class Deadline {
    private long atNanos;
    private boolean set;
    private @Nullable ScheduledFuture<?> check;

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
        ctx.close();
      } else {
        schedule(ctx, left);
      }
    }

    void cancel() {
      set = false;
    }
  }
}
