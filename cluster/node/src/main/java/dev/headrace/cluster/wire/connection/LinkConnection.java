package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a {@link Link}: what writes its frames, and notices its end.
 *
 * <p>The writer, which may be any thread, encrypts if there is {@link Encryption}, and writes to
 * the socket directly. Only what the socket does not take goes through the channel.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
abstract sealed class LinkConnection implements FrameHandler
    permits OpenedConnection, AcceptedConnection {
  /** The most bytes that the event loop writes before it reports progress. */
  private static final int PIECE_BYTES = 1 << 20;

  /** How long the peer may take to close a connection that this node has finished. */
  private static final long FINISH_MILLIS = 1_000;

  private final Link<?> link;
  private final @Nullable Encryption encryption;
  private volatile @Nullable Channel channel;
  private volatile @Nullable SocketChannel socket;
  private volatile boolean closed;

  /** Whether frames may be sent. Belongs to the event loop. */
  private boolean open;

  private final Runnable writeNow;
  private final Runnable writeLater;

  LinkConnection(Link<?> link, @Nullable Encryption encryption) {
    this.link = link;
    this.encryption = encryption;
    this.writeNow = () -> link.write(this);
    Runnable writeIfDue = () -> link.writeIfDue(this);
    this.writeLater = () -> link.onLoop(writeIfDue);
  }

  final Link<?> link() {
    return link;
  }

  final @Nullable Encryption encryption() {
    return encryption;
  }

  /** Sets what is written to. If the connection was closed before, closes the channel. */
  final void over(Channel connected, SocketChannel below) {
    socket = below;
    channel = connected;
    if (closed) { // there was no channel to close
      connected.close();
    }
  }

  final @Nullable Channel channel() {
    return channel;
  }

  final boolean isOpen() {
    return open;
  }

  /** The handshake has ended: from now on the writer sends. Called on the loop. */
  final void open() {
    open = true;
    if (encryption != null) {
      encryption.handOver();
    }
  }

  /** The task of a sender that has become the writer. */
  final Runnable writeNow() {
    return writeNow;
  }

  /** The task by which the event loop writes when it has handled what it received. */
  final Runnable writeLater() {
    return writeLater;
  }

  /**
   * Writes a buffer.
   *
   * @return whether all of it was written, so that the caller owns it again; otherwise the event
   *     loop writes the rest and becomes the writer
   */
  final boolean write(ByteBuf next) {
    SocketChannel direct = socket;
    Channel connected = channel;
    if (connected == null || direct == null) {
      next.release();
      return false;
    }
    if (encryption != null) {
      return writeEncrypted(encryption, connected, direct, next);
    }
    try {
      if (writeAtOnce(direct, next)) {
        return true;
      }
      later(() -> writeRest(connected, next), next);
    } catch (IOException e) {
      next.release();
      broke(e);
    }
    return false;
  }

  /** Encrypts and writes a buffer. If it is large, the event loop writes it in pieces. */
  private boolean writeEncrypted(
      Encryption tls, Channel connected, SocketChannel direct, ByteBuf next) {
    if (next.readableBytes() > PIECE_BYTES) {
      later(() -> writeRest(connected, next), next);
      return false;
    }
    ByteBuf records = null;
    try {
      records = tls.encrypt(next);
      if (writeAtOnce(direct, records)) {
        tls.written(records);
        return true;
      }
      ByteBuf rest = records;
      next.release();
      later(() -> tls.write(connected, rest).addListener(this::finished), rest);
    } catch (IOException | OutOfMemoryError e) {
      if (records != null) {
        records.release();
      }
      next.release();
      broke(e);
    }
    return false;
  }

  /** Writes what the socket takes, and skips it. Returns whether that was everything. */
  private static boolean writeAtOnce(SocketChannel direct, ByteBuf next) throws IOException {
    int bytes = next.readableBytes();
    int written = direct.write(next.internalNioBuffer(next.readerIndex(), bytes));
    if (written < bytes) {
      next.skipBytes(written);
    }
    return written == bytes;
  }

  private void later(Runnable task, ByteBuf owned) {
    if (!link.onLoop(task)) {
      owned.release();
    }
  }

  private void broke(Throwable cause) {
    link.onLoop(
        () -> {
          noteHangUp(cause);
          link.lose(this, new WireException("a connection broke", cause));
        });
  }

  /** Reports it if the peer has ended the connection. Called on the loop. */
  final void noteHangUp(@Nullable Throwable cause) {
    if (open && !closed && isByPeer(cause)) {
      link.use().hungUp();
    }
  }

  /** Writes the rest of a buffer, then the next ones. Called on the loop. */
  private void writeRest(Channel connected, ByteBuf rest) {
    boolean last = rest.readableBytes() <= PIECE_BYTES;
    ByteBuf piece = last ? rest : rest.readRetainedSlice(PIECE_BYTES);
    leave(connected, piece)
        .addListener(
            done -> {
              if (last) {
                finished(done);
              } else if (done.isSuccess()) {
                link.progressed();
                writeRest(connected, rest);
              } else {
                rest.release();
                noteHangUp(done.cause());
                link.lose(this, done.cause());
              }
            });
  }

  private ChannelFuture leave(Channel connected, ByteBuf piece) {
    if (encryption == null) {
      return connected.writeAndFlush(piece);
    }
    try {
      return encryption.write(connected, encryption.encrypt(piece));
    } catch (SSLException | OutOfMemoryError e) {
      return connected.newFailedFuture(e);
    } finally {
      piece.release();
    }
  }

  private void finished(Future<?> written) {
    if (written.isSuccess()) {
      link.write(this);
    } else {
      noteHangUp(written.cause());
      link.lose(this, written.cause());
    }
  }

  /**
   * Ends the connection after everything was written: tells the peer that nothing follows, and
   * reads on until it closes, too. If a socket is closed that holds unread bytes, the system drops
   * what is still to be sent.
   *
   * @param ended run when the connection is closed
   */
  final void finish(Runnable ended) {
    Channel connected = channel;
    if (!(connected instanceof DuplexChannel duplex)) {
      close();
      ended.run();
      return;
    }
    discard();
    connected.closeFuture().addListener(gone -> ended.run());
    duplex.shutdownOutput();
    Runnable limit =
        () ->
            connected
                .eventLoop()
                .schedule(() -> connected.close(), FINISH_MILLIS, TimeUnit.MILLISECONDS);
    if (!link.onLoop(limit)) {
      connected.close();
    }
  }

  final void close() {
    discard();
    Channel connected = channel;
    if (connected != null) {
      connected.close();
    }
  }

  /**
   * Ends a connection that is not needed, perhaps amid its handshake: without a word of TLS, which
   * the peer would take for a failure.
   */
  final void abandon() {
    discard();
    Channel connected = channel;
    ChannelHandlerContext first = connected == null ? null : connected.pipeline().firstContext();
    if (first != null) {
      first.close();
    } else if (connected != null) {
      connected.close();
    }
  }

  private void discard() {
    closed = true;
    if (encryption != null) {
      encryption.close();
    }
  }

  /**
   * Whether the peer, and not a failure of the network, has ended the connection. The system's text
   * is the only evidence; an unknown text does not count.
   */
  private static boolean isByPeer(@Nullable Throwable cause) {
    String text = cause == null ? "" : String.valueOf(cause.getMessage());
    return cause == null
        || (cause instanceof IOException
            && (text.contains("Connection reset") || text.contains("Broken pipe")));
  }

  /** The connection has ended. Called on the loop. */
  final void ended(@Nullable Throwable cause) {
    noteHangUp(cause);
    String node = "the connection to node " + link.peer();
    if (cause == null) {
      link.lose(this, new WireException(node + " was closed by it"));
    } else if (cause instanceof WireException) {
      link.lose(this, cause);
    } else {
      link.lose(this, new WireException(node + " broke: " + cause.getMessage(), cause));
    }
  }
}
