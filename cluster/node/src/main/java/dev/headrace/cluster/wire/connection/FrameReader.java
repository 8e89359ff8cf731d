package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.handler.codec.DecoderException;
import io.netty.util.UncheckedBooleanSupplier;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads frames from a connection without copying large bodies.
 *
 * <p>It is both the channel's handler and the allocator of its read buffers. It reads many small
 * frames at a time into a staging buffer and handles them there. When it has read the header of a
 * large frame, it gives the channel a buffer of exactly the body's length to read into next, so
 * that the kernel writes the body into its final place. It computes checksums read by read, while
 * the bytes are still in the processor's cache. Unless this node has asked for the body, the buffer
 * is small at first and doubles as the body arrives, whatever length the header claims.
 *
 * <p>With TLS it cannot choose the buffer: it copies what has been decrypted, and keeps what the
 * handler does not accept yet.
 *
 * <p>A bad frame closes the connection and is logged as a {@link WireException}. Not thread-safe:
 * used by the channel's event loop only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
public final class FrameReader extends ChannelInboundHandlerAdapter
    implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {

  /** Size of the staging buffer: many small frames. */
  static final int STAGING_BYTES = 32 << 10;

  /** Size of the staging buffer for large frames: a header, and little else that must be copied. */
  static final int HEADER_STAGING_BYTES = 1 << 10;

  /** Size of the first buffer for a body that this node has not asked for. */
  static final int FIRST_BODY_BYTES = 256 << 10;

  /** How long the rest of a frame may make no progress. */
  static final long STALL_SECONDS = 15;

  /** The most reads of one channel before others get their turn. */
  private static final int MAX_READS_IN_A_ROW = 16;

  private static final Logger log = LoggerFactory.getLogger(FrameReader.class);

  private final ByteBufAllocator allocator;
  private final boolean encrypted;
  private int stagingBytes;
  private final Frame frame = new Frame();
  private FrameHandler handler;
  private @Nullable ChannelHandlerContext context;
  private @Nullable ChannelConfig config;
  private @Nullable ByteBuf staging;

  /** The body that is being read into a buffer of its own; its header is in {@link #frame}. */
  private @Nullable ByteBuf large;

  /** Up to which byte the checksum covers it. */
  private int largeCheckedTo;

  /** With TLS, what has arrived and is not accepted yet. */
  private final ArrayDeque<ByteBuf> unread = new ArrayDeque<>();

  private @Nullable Future<?> watching;
  private int arrivals;
  private int watchedArrivals;
  private boolean open = true;
  private boolean ended;
  private @Nullable Throwable failure;
  private int reads;
  private boolean drained;
  private int attemptedBytes;
  private int lastBytes;

  /**
   * A reader of frames.
   *
   * @param encrypted whether a handler before it decrypts
   */
  FrameReader(
      ByteBufAllocator allocator, int stagingBytes, FrameHandler handler, boolean encrypted) {
    this.allocator = allocator;
    this.stagingBytes = stagingBytes;
    this.handler = handler;
    this.encrypted = encrypted;
  }

  /** The version of the protocol in which the last frame was written. */
  public int protocol() {
    return frame.protocol();
  }

  /** Passes further frames to another handler, with a larger staging buffer: the peer is known. */
  void known(FrameHandler next, int moreStagingBytes) {
    handler = next;
    stagingBytes = moreStagingBytes;
    watch();
  }

  /**
   * Ends with the channel even if Netty does not tell its end: a channel that is closed just while
   * it gets another loop never becomes inactive. Called on the loop that it keeps.
   */
  void endWithChannel() {
    ChannelHandlerContext here = context;
    if (here != null) {
      here.channel().closeFuture().addListener(closed -> endSoon(here));
    }
  }

  private void endSoon(ChannelHandlerContext here) {
    try {
      here.executor().execute(this::end);
    } catch (RejectedExecutionException e) {
      log.debug("The wire is closed; the end of {} is not told", here.channel(), e);
    }
  }

  /** Begins to close the connection when a frame makes no progress. Called on its event loop. */
  void watch() {
    if (open && context != null && watching == null) {
      watching =
          context
              .executor()
              .scheduleWithFixedDelay(
                  this::checkProgress, STALL_SECONDS, STALL_SECONDS, TimeUnit.SECONDS);
    }
  }

  private void checkProgress() {
    boolean unfinished = large != null || (staging != null && staging.isReadable());
    boolean reading = context != null && context.channel().config().isAutoRead();
    if (unfinished && reading && arrivals == watchedArrivals) {
      fail(new WireException("a frame made no progress for %d s".formatted(STALL_SECONDS)));
    }
    watchedArrivals = arrivals;
  }

  /** Closes the connection and logs the cause. */
  void fail(Throwable cause) {
    if (open) {
      stop(cause);
      if (context != null) {
        context.close();
      }
    }
  }

  /** Stops reading and logs the cause. The caller closes the connection. */
  void stop(Throwable cause) {
    open = false;
    failure = cause;
    if (context != null && cause instanceof WireException) {
      log.warn(
          "Closed the connection {}: {}", context.channel(), cause.getMessage(), cause.getCause());
    }
  }

  /** Continues to read after {@link FrameHandler#accepting} has stopped it. */
  public void resume() {
    if (open && large == null && staging != null) {
      guard(this::parseStaging);
    }
    if (encrypted) {
      guard(this::takeUnread);
    }
    if (open && handler.accepting() && context != null) {
      context.channel().config().setAutoRead(true);
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    if (!encrypted) {
      ctx.channel().config().setRecvByteBufAllocator(this);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    open = false;
    release();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf read = (ByteBuf) message;
    arrivals++;
    if (encrypted) {
      unread.add(read);
      guard(this::takeUnread);
      return;
    }
    try {
      if (open) {
        guard(large != null ? this::continueLarge : this::parseStaging);
      }
    } finally {
      read.release();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    handler.writabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    end();
  }

  /** The connection has ended. Called on its event loop. */
  void end() {
    if (ended) {
      return;
    }
    ended = true;
    if (open && (large != null || (staging != null && staging.isReadable()))) {
      fail(new WireException("the connection ended in the middle of a frame"));
    }
    open = false;
    release();
    handler.closed(failure);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    Throwable reason = cause instanceof DecoderException ? cause.getCause() : cause;
    if (reason instanceof SSLException) {
      fail(
          new WireException(
              "TLS failed: %s; all nodes of a cluster need the same security, and certificates that the others trust"
                  .formatted(reason.getMessage()),
              reason));
    } else if (cause instanceof IOException) {
      log.debug("The connection {} failed", ctx.channel(), cause);
      fail(cause);
    } else {
      failHere(cause);
    }
  }

  private void guard(Runnable parse) {
    try {
      parse.run();
    } catch (WireException e) {
      fail(e);
    } catch (RuntimeException | Error e) {
      failHere(e);
    }
  }

  /** Closes the connection because of a fault of this node: its state is no longer known. */
  private void failHere(Throwable cause) {
    if (open) {
      log.error(
          "A frame could not be handled, and its connection {} is closed: this is a bug of this"
              + " node; please report it",
          context == null ? "" : context.channel(),
          cause);
    }
    fail(cause);
  }

  /** Handles decrypted bytes as far as the handler accepts them. */
  private void takeUnread() {
    for (ByteBuf next = unread.peek(); next != null && open; next = unread.peek()) {
      if (!next.isReadable()) {
        unread.remove().release();
      } else if (large != null) {
        next.readBytes(large, Math.min(next.readableBytes(), large.writableBytes()));
        continueLarge();
      } else if (!handler.accepting()) {
        pause();
        return;
      } else {
        ByteBuf room = staging();
        next.readBytes(room, Math.min(next.readableBytes(), room.writableBytes()));
        parseStaging();
      }
    }
    if (!open) {
      releaseUnread();
    }
  }

  private void parseStaging() {
    ByteBuf in = staging;
    while (open && in != null && in.refCnt() > 0 && in.readableBytes() >= Frame.HEADER_BYTES) {
      if (!handler.accepting()) {
        pause();
        return;
      }
      int start = in.readerIndex();
      readHeader(in, start);
      int totalBytes = Frame.HEADER_BYTES + frame.bodyBytes();
      boolean keep = handler.keepsBody(frame.type());
      if (!keep && in.readableBytes() >= totalBytes) {
        handleStaged(in, start, totalBytes);
      } else if (keep || totalBytes > stagingBytes / 2) {
        startLarge(in, start, keep ? frame.bodyBytes() : FIRST_BODY_BYTES);
      } else {
        return;
      }
    }
  }

  private void readHeader(ByteBuf in, int start) {
    frame.read(in, start);
    int limitBytes = handler.bodyLimitBytes(frame.type(), frame.correlation());
    if (frame.bodyBytes() < 0 || frame.bodyBytes() > limitBytes) {
      throw new WireException(
          "a frame of type %d claims a body of %s bytes, but %d are allowed"
              .formatted(frame.type(), Integer.toUnsignedString(frame.bodyBytes()), limitBytes));
    }
  }

  private void handleStaged(ByteBuf in, int start, int totalBytes) {
    int end = in.writerIndex();
    frame.startBody();
    if (frame.bodyBytes() > 0) {
      frame.addBody(in, start + Frame.HEADER_BYTES, frame.bodyBytes());
    }
    frame.checkBody();
    in.setIndex(start + Frame.HEADER_BYTES, start + totalBytes);
    handler.frame(frame.type(), frame.correlation(), in);
    if (open) {
      in.setIndex(start + totalBytes, end);
    }
  }

  private void startLarge(ByteBuf in, int start, int firstBytes) {
    int bodyBytes = frame.bodyBytes();
    int first = Math.max(1, Math.min(bodyBytes, firstBytes));
    ByteBuf body = allocator.directBuffer(first, Math.max(1, bodyBytes));
    large = body;
    in.readerIndex(start + Frame.HEADER_BYTES);
    int here = Math.min(in.readableBytes(), bodyBytes);
    in.readBytes(body, here);
    frame.startBody();
    if (here > 0) {
      frame.addBody(body, 0, here);
    }
    largeCheckedTo = here;
    if (here == bodyBytes) {
      finishLarge(body);
    }
  }

  private void continueLarge() {
    ByteBuf body = large;
    if (body == null) {
      return;
    }
    int end = body.writerIndex();
    frame.addBody(body, largeCheckedTo, end - largeCheckedTo);
    largeCheckedTo = end;
    if (end == frame.bodyBytes()) {
      finishLarge(body);
      drained = true; // probably nothing follows yet: not worth a system call
      return;
    }
    if (!body.isWritable()) {
      body.capacity((int) Math.min(frame.bodyBytes(), 2L * end));
    }
    handler.progressed();
  }

  private void finishLarge(ByteBuf body) {
    large = null;
    try {
      frame.checkBody();
      handler.frame(frame.type(), frame.correlation(), body);
    } finally {
      body.release();
    }
  }

  private void pause() {
    if (context != null) {
      context.channel().config().setAutoRead(false);
    }
  }

  private void release() {
    if (staging != null) {
      staging.release();
      staging = null;
    }
    if (large != null) {
      large.release();
      large = null;
    }
    releaseUnread();
    if (watching != null) {
      watching.cancel(false);
      watching = null;
    }
  }

  private void releaseUnread() {
    for (ByteBuf next = unread.poll(); next != null; next = unread.poll()) {
      next.release();
    }
  }

  // The following methods tell the channel where to read to, and how often.

  @Override
  public ExtendedHandle newHandle() {
    return this;
  }

  @Override
  public ByteBuf allocate(ByteBufAllocator ignored) {
    if (!open) {
      return allocator.directBuffer(stagingBytes); // read and forgotten
    }
    if (large != null) {
      return large.retain();
    }
    return staging().retain();
  }

  /**
   * The staging buffer, with room for at least half of its size behind what has not been handled.
   */
  private ByteBuf staging() {
    ByteBuf room = staging;
    if (room == null || room.capacity() < stagingBytes) {
      ByteBuf larger = allocator.directBuffer(stagingBytes, stagingBytes);
      staging = larger;
      if (room != null) {
        larger.writeBytes(room);
        room.release();
      }
      return larger;
    }
    if (!room.isReadable()) {
      room.clear();
    } else if (room.writableBytes() < stagingBytes / 2) {
      room.discardReadBytes();
    }
    return room;
  }

  @Override
  public int guess() {
    return stagingBytes;
  }

  @Override
  public void reset(ChannelConfig channelConfig) {
    config = channelConfig;
    reads = 0;
    drained = false;
  }

  @Override
  public void incMessagesRead(int count) {
    reads += count;
  }

  @Override
  public void lastBytesRead(int bytes) {
    lastBytes = bytes;
  }

  @Override
  public int lastBytesRead() {
    return lastBytes;
  }

  @Override
  public void attemptedBytesRead(int bytes) {
    attemptedBytes = bytes;
  }

  @Override
  public int attemptedBytesRead() {
    return attemptedBytes;
  }

  @Override
  public boolean continueReading() {
    return continueReading(() -> lastBytes == attemptedBytes);
  }

  @Override
  public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
    return open
        && !drained
        && reads < MAX_READS_IN_A_ROW
        && config != null
        && config.isAutoRead()
        && maybeMore.get();
  }

  @Override
  public void readComplete() {}
}
