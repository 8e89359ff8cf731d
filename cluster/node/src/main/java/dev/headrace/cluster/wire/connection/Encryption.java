package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.PreferHeapByteBufAllocator;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS on a connection that this node opens: a handler for the event loop, which shakes hands and
 * decrypts, and a way around it for who writes. Handing each operation over to the event loop to be
 * encrypted would cost its sender several times what encrypting costs.
 *
 * <p>{@link #encrypt} and {@link #written} belong to the link's one writer; the rest, but for
 * {@link #close}, to the event loop.
 */
final class Encryption {
  /** Room for the records of a buffer of small frames. */
  private static final int SPARE_BYTES = SenderEngine.roomBytes(SendQueue.CHUNK_BYTES);

  private final SenderEngine engine;
  private final SslHandler handler;
  private final ByteBufAllocator allocator;

  /** What {@link #encrypt} returns next, unless it needs more. */
  private final AtomicReference<@Nullable ByteBuf> spare = new AtomicReference<>();

  private volatile boolean closed;

  Encryption(SSLEngine client, ByteBufAllocator allocator) {
    this.engine = new SenderEngine(client);
    this.handler = new SslHandler(engine);
    this.allocator = allocator;
    handler.setHandshakeTimeout(Wire.HANDSHAKE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /** Puts TLS in front of everything that is added later. */
  void addTo(Channel channel) {
    addTo(channel, handler);
  }

  /** The same with the handler of an accepted connection. */
  static void addTo(Channel channel, SslHandler handler) {
    // Read to the heap: outside of it, the ciphers of the JDK 17 take many times as long.
    channel.config().setAllocator(new PreferHeapByteBufAllocator(channel.alloc()));
    channel.pipeline().addLast(handler);
  }

  /** Completed when the other node has shown its certificate; until then nothing is sent. */
  Future<Channel> handshake() {
    return handler.handshakeFuture();
  }

  /** The other node has answered what was written to the channel; now its writer takes over. */
  void handOver() {
    engine.handOver();
  }

  /**
   * What the socket gets for a buffer, which stays the caller's.
   *
   * @return to be given back by {@link #written}, or taken over by {@link #write}
   * @throws SSLException if the connection's TLS has ended
   */
  ByteBuf encrypt(ByteBuf plain) throws SSLException {
    ByteBuf records = room(SenderEngine.roomBytes(plain.readableBytes()));
    boolean complete = false;
    try {
      engine.encrypt(plain, records);
      complete = true;
      return records;
    } finally {
      if (!complete) {
        records.release();
      }
    }
  }

  private ByteBuf room(int bytes) {
    if (bytes > SPARE_BYTES) {
      return allocator.directBuffer(bytes);
    }
    ByteBuf fresh = spare.getAndSet(null);
    return fresh != null ? fresh : allocator.directBuffer(SPARE_BYTES);
  }

  /** Takes back what the socket has taken. */
  void written(ByteBuf records) {
    if (records.capacity() != SPARE_BYTES) {
      records.release();
      return;
    }
    forget(spare.getAndSet(records.clear()));
    if (closed) {
      forget(spare.getAndSet(null));
    }
  }

  /** Keeps no room for more. Any thread. */
  void close() {
    closed = true;
    forget(spare.getAndSet(null));
  }

  private static void forget(@Nullable ByteBuf room) {
    if (room != null) {
      room.release();
    }
  }

  /** Writes what {@link #encrypt} has returned, and takes it over. */
  ChannelFuture write(Channel channel, ByteBuf records) {
    ChannelHandlerContext behind = channel.pipeline().context(handler);
    if (behind == null) {
      records.release();
      return channel.newFailedFuture(new WireException("the connection has ended"));
    }
    return behind.writeAndFlush(records);
  }
}
