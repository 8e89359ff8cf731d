package dev.headrace.http.server;

import dev.headrace.http.exchange.BodyIntake;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.IntakeHandler;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Problems;
import dev.headrace.http.exchange.QueryParameters;
import dev.headrace.http.exchange.Router;
import dev.headrace.http.exchange.StreamedBody;
import dev.headrace.http.exchange.Verb;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection. It has one request at a time; further ones wait in the socket.
 *
 * <pre>
 * state     event                guard                next      effects
 * -------------------------------------------------------------------------------------------
 * WAITING   request line, headers  they are in order    READING   find the route, check the proof
 * WAITING   request line, headers  the route takes      OPENING   let it open an intake
 *                                  bodies as they come
 * WAITING   request line, headers  they are not         REPLYING  send the problem, then close
 * READING   part of the body       it is short enough   READING   keep it
 * READING   part of the body       it is too long       REPLYING  send the problem, then close
 * READING   end of the body                             ANSWERING let the route answer
 * OPENING   the intake is open                          TAKING    let it begin
 * TAKING    it asks for a piece                         TAKING    read on, and hand it over
 * TAKING    the client has gone                         CLOSED    cancel the intake
 * ANSWERING the reply                                   REPLYING  send it
 * OPENING,  the reply              the body has ended   REPLYING  send it
 * TAKING
 * OPENING,  the reply              it has not           REPLYING  send it, then close
 * TAKING
 * REPLYING  it was sent            keep-alive           WAITING   read on
 * REPLYING  it was sent            none                 CLOSING   send the end, drop what comes
 * any       its time is over                            CLOSED
 * </pre>
 *
 * <p>Time runs while the client is waited for: not in OPENING and ANSWERING, in TAKING only while a
 * piece is wanted, in REPLYING only while bytes wait to be taken.
 *
 * <p>All fields belong to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners are told what becomes of writes.
final class HttpConnection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

  /** A client that sends on after its reply has this long for the rest, as long as some comes. */
  private static final long CLOSING_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private enum State {
    WAITING,
    READING,
    OPENING,
    TAKING,
    ANSWERING,
    REPLYING,
    CLOSING
  }

  private final HttpPort.Parts parts;
  private final AtomicLong bodyBytes;
  private final ReplyBudget replies;
  private final boolean refused;
  private final ConnectionDeadline deadline = new ConnectionDeadline();
  private final ReplyWriter writer;

  private final ArrayDeque<Object> inbox = new ArrayDeque<>();
  private boolean wanted;
  private boolean watching;
  private boolean reading;
  private boolean draining;
  private long closingNanos;
  private State state = State.WAITING;
  private Verb verb = Verb.OTHER;
  private @Nullable HttpCall call;
  private Router.@Nullable Match match;
  private @Nullable BodyReader reader;
  private @Nullable IntakeFeed feed;
  private @Nullable String allowedOrigin;
  private boolean keepAlive;
  private boolean oldVersion;
  private boolean continueExpected;
  private long readNanos;

  /**
   * @param bodyBytes the bytes of all bodies of the port
   * @param replies the replies of the port that wait for their readers
   * @param refused whether there are too many connections already
   */
  HttpConnection(HttpPort.Parts parts, AtomicLong bodyBytes, ReplyBudget replies, boolean refused) {
    this.parts = parts;
    this.bodyBytes = bodyBytes;
    this.replies = replies;
    this.refused = refused;
    this.writer = new ReplyWriter(parts.limits(), parts.listener(), deadline, replies);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    parts.listener().opened();
    deadline.in(ctx, parts.limits().requestTimeout().toNanos());
    if (refused) {
      failed(
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
    cancelIntake();
    writer.closed();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.debug("A connection of HTTP failed", cause);
    ctx.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    reading = true;
    inbox.add(message);
    drain(ctx);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    reading = false;
    readIfWanted(ctx);
  }

  /** Asks for the next part of a request. */
  private void next(ChannelHandlerContext ctx) {
    wanted = true;
    drain(ctx);
  }

  /**
   * Handles what has arrived as long as it is wanted. What was read together with it waits: the
   * socket is read again only when nothing waits any more, and not before all of one read is here.
   * Otherwise the next read could find the end of the connection while parts of a body still wait.
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
    readIfWanted(ctx);
  }

  /** A streamed reply may have nothing to send: that its reader has gone is seen by reading on. */
  private void readIfWanted(ChannelHandlerContext ctx) {
    boolean watched = watching && inbox.isEmpty();
    if ((wanted || watched) && !reading) {
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
      } else if (message instanceof HttpContent content && state == State.TAKING) {
        piece(content);
      } else if (state == State.WAITING || state == State.CLOSING) {
        // The rest of a request that was answered before its end; what comes while the connection
        // is being closed is dropped, so that the client can read its reply.
        if (state == State.CLOSING) {
          awaitRest(ctx);
        }
        next(ctx);
      }
    } catch (RuntimeException e) {
      failed(ctx, e);
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  // ---- The request

  private void begin(ChannelHandlerContext ctx, HttpRequest head) {
    verb = Verb.of(head.method().name());
    keepAlive = false; // until it is known to be in order
    oldVersion = head.protocolVersion().minorVersion() == 0;
    match = null;
    allowedOrigin = null;
    RequestHead.checkSyntax(head);
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
      parts
          .rules()
          .checkProof(headers.get(HttpHeaderNames.AUTHORIZATION), RequestHead.isCertified(ctx));
    }
    HttpCall asked =
        new HttpCall(
            verb,
            path,
            Map.of(),
            QueryParameters.parse(question < 0 ? "" : head.uri().substring(question + 1)),
            name -> RequestHead.header(headers, name),
            new byte[0],
            task -> later(ctx, task));
    RequestHead.checkBody(verb, headers);
    continueExpected = RequestHead.expectsContinue(headers);
    readNanos = System.nanoTime();
    IntakeHandler taker = found.route().intake();
    if (taker != null) {
      open(ctx, found, taker, asked, HttpUtil.isKeepAlive(head));
      return;
    }
    call = asked;
    BodyReader fresh = new BodyReader(parts.limits(), bodyBytes);
    reader = fresh;
    fresh.expect(Math.max(0, HttpUtil.getContentLength(head, 0L)));
    state = State.READING;
    deadline.in(ctx, parts.limits().bodyTimeout().toNanos());
    sendContinue(ctx);
    keepAlive = HttpUtil.isKeepAlive(head);
    if (!(head instanceof LastHttpContent)) {
      next(ctx);
    }
  }

  private void sendContinue(ChannelHandlerContext ctx) {
    if (continueExpected) {
      continueExpected = false;
      ctx.writeAndFlush(
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
    }
  }

  private void body(ChannelHandlerContext ctx, HttpContent content) {
    if (content.decoderResult().isFailure()) {
      throw RequestHead.syntaxProblem(content.decoderResult().cause());
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
      deadline.in(ctx, parts.limits().bodyTimeout().toNanos() + earned - spent);
      next(ctx);
    }
  }

  // ---- A body that is taken while it arrives

  private void open(
      ChannelHandlerContext ctx,
      Router.Match found,
      IntakeHandler taker,
      HttpCall head,
      boolean wantsToGoOn) {
    state = State.OPENING;
    deadline.cancel(); // every operation of the node has a time-out of its own
    var unused =
        found
            .open(taker, head)
            .whenComplete(
                (opened, failure) ->
                    onLoop(
                        ctx,
                        () -> {
                          if (failure != null) {
                            reply(ctx, Problems.reply(failure));
                          } else {
                            keepAlive = wantsToGoOn;
                            takeOrFail(ctx, opened);
                          }
                        }));
  }

  private void takeOrFail(ChannelHandlerContext ctx, BodyIntake opened) {
    try {
      take(ctx, opened);
    } catch (RuntimeException e) { // which nobody would hear of
      failed(ctx, e);
    }
  }

  private void take(ChannelHandlerContext ctx, BodyIntake opened) {
    if (!ctx.channel().isActive()) {
      opened.cancelled();
      return;
    }
    state = State.TAKING;
    IntakeFeed fresh =
        new IntakeFeed(
            ctx,
            opened,
            new IntakeFeed.Connection() {
              @Override
              public void readOn() {
                sendContinue(ctx);
                deadline.in(ctx, parts.limits().idleTimeout().toNanos());
                next(ctx);
              }

              @Override
              public void reply(HttpReply reply, boolean bodyEnded) {
                feed = null;
                keepAlive &= bodyEnded;
                HttpConnection.this.reply(ctx, reply);
              }
            });
    feed = fresh;
    fresh.begin();
  }

  private void piece(HttpContent content) {
    if (content.decoderResult().isFailure()) {
      throw RequestHead.syntaxProblem(content.decoderResult().cause());
    }
    deadline.cancel(); // now the client waits for the cluster
    readNanos = System.nanoTime();
    IntakeFeed present = feed;
    if (present != null) {
      present.add(content);
    }
  }

  private void cancelIntake() {
    IntakeFeed present = feed;
    feed = null;
    if (present != null) {
      present.cancel();
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
            present.body(),
            head.loop());
    try {
      var unused =
          found
              .answer(whole)
              .whenComplete(
                  (reply, failure) ->
                      onLoop(
                          ctx,
                          () -> reply(ctx, failure == null ? reply : Problems.reply(failure))));
    } catch (RuntimeException e) {
      reply(ctx, Problems.reply(e));
    }
  }

  /** Has the connection's event loop run a task. */
  private static void later(ChannelHandlerContext ctx, Runnable task) {
    try {
      ctx.executor().execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("The port was closed before a request had its reply", e);
    }
  }

  /** Runs a task on the connection's event loop, at once if this is it. */
  static void onLoop(ChannelHandlerContext ctx, Runnable task) {
    if (ctx.executor().inEventLoop()) {
      task.run();
    } else {
      ctx.executor().execute(task);
    }
  }

  private void preflight(ChannelHandlerContext ctx) {
    reply(
        ctx,
        HttpReply.of(204)
            .with("access-control-allow-methods", "GET, HEAD, PUT, POST, DELETE")
            .with(
                "access-control-allow-headers",
                "authorization, content-type, if-match, if-none-match, last-event-id,"
                    + " headrace-resume")
            .with("access-control-max-age", "600"));
  }

  /** Something is wrong with a request, or with us. */
  private void failed(ChannelHandlerContext ctx, RuntimeException failure) {
    if (state == State.REPLYING || state == State.CLOSING) {
      throw failure; // there is a reply already
    }
    cancelIntake();
    keepAlive = false;
    reply(ctx, Problems.reply(failure));
  }

  private void reply(ChannelHandlerContext ctx, HttpReply made) {
    releaseBody();
    if (!ctx.channel().isActive()) {
      StreamedBody body = made.streamed();
      if (body != null) {
        body.cancelled();
      }
      return;
    }
    state = State.REPLYING;
    HttpReply reply = replies.admit(verb, made);
    parts
        .listener()
        .answered(
            verb,
            match == null ? null : match.route().template(),
            reply.status(),
            match == null ? 0 : System.nanoTime() - readNanos);
    keepAlive &= !ReplyWriter.endsConnection(reply, oldVersion);
    watching = reply.streamed() != null;
    writer.write(
        ctx,
        new ReplyWriter.Addressee(verb, oldVersion, keepAlive, allowedOrigin),
        reply,
        () -> replied(ctx));
    readIfWanted(ctx);
  }

  private void replied(ChannelHandlerContext ctx) {
    call = null;
    watching = false;
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
    if (!(ctx.channel() instanceof DuplexChannel duplex)) {
      ctx.close();
      return;
    }
    state = State.CLOSING;
    closingNanos = System.nanoTime();
    awaitRest(ctx);
    SslHandler tls = ctx.pipeline().get(SslHandler.class);
    ChannelFuture told = tls == null ? ctx.newSucceededFuture() : tls.closeOutbound();
    told.addListener(sent -> duplex.shutdownOutput().addListener(done -> next(ctx)));
  }

  private void awaitRest(ChannelHandlerContext ctx) {
    long left = closingNanos + CLOSING_NANOS - System.nanoTime();
    deadline.in(ctx, Math.max(0, Math.min(SILENT_NANOS, left)));
  }

  private void releaseBody() {
    BodyReader present = reader;
    reader = null;
    if (present != null) {
      present.release();
    }
  }
}
