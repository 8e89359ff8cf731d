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
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts a connection's bytes into frames without copying large bodies.
 *
 * <p>It is both the channel's handler and the allocator of its read buffers. Small frames are read
 * many at a time into a staging buffer and handled there. As soon as the header of a large frame
 * has been read, a buffer of exactly the body's length is made and handed to the channel as the
 * next one to read into, so that the kernel writes the body to where it stays. Checksums are
 * computed read by read, while the bytes are still in the processor's cache. Unless this node has
 * asked for the body, the buffer is small at first and doubles as the body arrives, whatever length
 * the header claims.
 *
 * <p>Behind TLS there is nothing to read into: what has been decrypted is copied, and what the
 * handler does not accept yet is kept.
 *
 * <p>A bad frame closes the connection and is logged as a {@link WireException}. Not thread-safe:
 * used by the channel's event loop only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
public final class FrameReader extends ChannelInboundHandlerAdapter
    implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {

  /** Room for many small frames at a time. */
  static final int STAGING_BYTES = 32 << 10;

  /** Room for the header of a large frame, and little more that would have to be copied. */
  static final int HEADER_STAGING_BYTES = 1 << 10;

  /** The first buffer of a body that nobody has asked for. */
  static final int FIRST_BODY_BYTES = 256 << 10;

  /** So long the rest of a frame may not get on at all. */
  static final long STALL_SECONDS = 15;

  /** Reads of one channel before others get their turn. */
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

  /** How much of it is in its checksum. */
  private int largeCheckedTo;

  /** Behind TLS, what has arrived and is not accepted yet. */
  private final ArrayDeque<ByteBuf> unread = new ArrayDeque<>();

  private @Nullable Future<?> watching;
  private int arrivals;
  private int watchedArrivals;
  private boolean open = true;
  private @Nullable Throwable failure;
  private int reads;
  private boolean drained;
  private int attemptedBytes;
  private int lastBytes;

  /**
   * A reader of frames.
   *
   * @param encrypted whether it stands behind a handler that decrypts
   */
  FrameReader(
      ByteBufAllocator allocator, int stagingBytes, FrameHandler handler, boolean encrypted) {
    this.allocator = allocator;
    this.stagingBytes = stagingBytes;
    this.handler = handler;
    this.encrypted = encrypted;
  }

  /** The peer is known: another handler takes the frames that follow, with more room. */
  void known(FrameHandler next, int moreStagingBytes) {
    handler = next;
    stagingBytes = moreStagingBytes;
    watch();
  }

  /** From now on a frame without progress closes the connection. On its event loop. */
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

  /** Closes the connection because of the cause, which is logged. */
  void fail(Throwable cause) {
    if (open) {
      stop(cause);
      if (context != null) {
        context.close();
      }
    }
  }

  /** Reads nothing more because of the cause, which is logged; closing is the caller's. */
  void stop(Throwable cause) {
    open = false;
    failure = cause;
    if (context != null && cause instanceof WireException) {
      log.warn("Closed the connection {}: {}", context.channel(), cause.getMessage(), cause);
    }
  }

  /** Continues after {@link FrameHandler#accepting} has stopped it. */
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

  /** The fault is this node's; the connection's state is not known any more. */
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

  /** Takes what has been decrypted as far as it is accepted. */
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
      drained = true; // most likely nothing follows yet: not worth a system call to find out
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

  // What follows is the channel asking where to read to, and how often.

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

  /** Room for at least half of the staging bytes, behind what has not been handled. */
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
