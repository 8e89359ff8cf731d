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
 * TLS on a connection. A handler on the event loop does the handshake and decrypts; once it is
 * handed over, a link's writer encrypts by itself, on any thread. Handing each operation to the
 * event loop for encryption would cost several times as much as the encryption.
 *
 * <p>The link's one writer calls {@link #encrypt} and {@link #written}, any thread {@link #close},
 * and the event loop the other methods.
 */
public final class Encryption {
  /** Room for the records of a buffer of small frames. */
  private static final int SPARE_BYTES = SenderEngine.roomBytes(SendQueue.CHUNK_BYTES);

  private final SenderEngine engine;
  private final SslHandler handler;
  private final ByteBufAllocator allocator;

  /** The buffer that {@link #encrypt} returns next, unless it needs a larger one. */
  private final AtomicReference<@Nullable ByteBuf> spare = new AtomicReference<>();

  private volatile boolean closed;

  Encryption(SSLEngine engine, ByteBufAllocator allocator) {
    this.engine = new SenderEngine(engine);
    this.handler = new SslHandler(engine);
    this.allocator = allocator;
    handler.setHandshakeTimeout(Wire.HANDSHAKE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /** Puts TLS in front of the handlers that are added later. */
  void addTo(Channel channel) {
    // Read into the heap: JDK 17's ciphers take many times as long on direct buffers.
    channel.config().setAllocator(new PreferHeapByteBufAllocator(channel.alloc()));
    channel.pipeline().addLast(handler);
  }

  /** Completed when the other node has shown its certificate. Until then no frame is sent. */
  Future<Channel> handshake() {
    return handler.handshakeFuture();
  }

  /**
   * Lets the writer encrypt from now on: the other node has answered what the event loop has sent,
   * or it has all left.
   */
  void handOver() {
    engine.handOver();
  }

  /**
   * Encrypts a buffer, which the caller keeps.
   *
   * @return the records to send; the caller passes them to {@link #written} or {@link #write}
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

  /** Takes back a buffer whose records were written to the socket. */
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

  /** Releases the spare buffer. May be called by any thread. */
  void close() {
    closed = true;
    forget(spare.getAndSet(null));
  }

  private static void forget(@Nullable ByteBuf room) {
    if (room != null) {
      room.release();
    }
  }

  /** Writes the records that {@link #encrypt} has returned, and releases them. */
  ChannelFuture write(Channel channel, ByteBuf records) {
    ChannelHandlerContext behind = channel.pipeline().context(handler);
    if (behind == null) {
      records.release();
      return channel.newFailedFuture(new WireException("the connection has ended"));
    }
    return behind.writeAndFlush(records);
  }
}
