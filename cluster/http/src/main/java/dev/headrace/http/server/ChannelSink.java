package dev.headrace.http.server;

import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.exchange.StreamedBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes a body to a connection, chunk by chunk, and knows how much of it the socket has not taken.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners are told what becomes of writes.
final class ChannelSink implements BodySink {
  /** What waits for the socket while there is room for more; one more piece may come on top. */
  static final int ROOM_BYTES = 8 << 10;

  /** After so many bytes from its own thread, a sink has no room until others had their turn. */
  private static final int TURN_BYTES = 64 << 10;

  private final Channel channel;
  private final StreamedBody body;
  private final Watcher watcher;
  private final AtomicInteger held = new AtomicInteger();

  /** How many tasks wait for the event loop; what it writes itself comes behind them. */
  private final AtomicInteger handedOver = new AtomicInteger();

  private volatile boolean full;
  private int unwritten; // of the event loop
  private boolean takenSome; // of the event loop, since it was asked last
  private int turnBytes; // of the event loop
  private boolean last; // of the event loop

  /** Is told what becomes of a body, on the event loop. */
  interface Watcher {

    /** Bytes wait for the socket, and none did before. */
    void waiting();

    /**
     * The socket has taken some bytes.
     *
     * @param all whether none wait any more
     */
    void taken(int bytes, boolean all);

    /** The body was sent as a whole. */
    void ended();
  }

  ChannelSink(Channel channel, StreamedBody body, Watcher watcher) {
    this.channel = channel;
    this.body = body;
    this.watcher = watcher;
  }

  @Override
  public void write(byte[] piece) {
    held.addAndGet(piece.length);
    if (isNext()) {
      take(piece.length);
      send(Unpooled.wrappedBuffer(piece));
    } else {
      handOver(() -> send(Unpooled.wrappedBuffer(piece)));
    }
  }

  /**
   * On the event loop the copy is the one that the socket takes; an array would be copied again.
   */
  @Override
  public void writeCopy(byte[] array, int length) {
    if (isNext()) {
      held.addAndGet(length);
      take(length);
      send(copy(array, length));
    } else {
      write(Arrays.copyOf(array, length));
    }
  }

  private ByteBuf copy(byte[] array, int length) {
    try {
      return channel.alloc().directBuffer(length).writeBytes(array, 0, length);
    } catch (
        OutOfMemoryError e) { // outside the heap; Netty tries it once more, and closes if it fails
      return Unpooled.copiedBuffer(array, 0, length);
    }
  }

  /** Counts bytes of this turn of the event loop. */
  private void take(int bytes) {
    if (turnBytes < TURN_BYTES && turnBytes + bytes >= TURN_BYTES) {
      channel.eventLoop().execute(this::nextTurn);
    }
    turnBytes += bytes;
  }

  private void nextTurn() {
    turnBytes = 0;
    tellRoom();
  }

  private void send(ByteBuf piece) {
    if (unwritten == 0) {
      watcher.waiting();
    }
    int bytes = piece.readableBytes();
    unwritten += bytes;
    channel
        .writeAndFlush(new DefaultHttpContent(piece))
        .addListener((ChannelFuture done) -> taken(bytes, done));
  }

  /** Whether nothing waits for the socket and more may follow. For the event loop. */
  boolean isQuiet() {
    return unwritten == 0 && !last;
  }

  /**
   * Whether bytes wait for the socket, and it has taken none since this was asked last. For the
   * event loop.
   */
  boolean isStalled() {
    boolean stalled = unwritten > 0 && !takenSome;
    takenSome = false;
    return stalled;
  }

  private void taken(int bytes, ChannelFuture done) {
    takenSome = true;
    held.addAndGet(-bytes);
    unwritten -= bytes;
    if (!done.isSuccess()) {
      channel.close();
      return;
    }
    watcher.taken(bytes, unwritten == 0 && !last);
    tellRoom();
  }

  private void tellRoom() {
    if (full && isRoom()) {
      full = false;
      body.room();
    }
  }

  @Override
  public boolean hasRoom() {
    if (isRoom()) {
      return true;
    }
    full = true;
    // It may have become less before that was seen; then nobody else tells.
    return isRoom();
  }

  /** Others than the event loop write too little at once to be in anybody's way. */
  private boolean isRoom() {
    return held.get() < ROOM_BYTES
        && !(channel.eventLoop().inEventLoop() && turnBytes >= TURN_BYTES);
  }

  @Override
  public Executor executor() {
    return channel.eventLoop();
  }

  @Override
  public void end(Map<String, String> trailers) {
    DefaultLastHttpContent content = new DefaultLastHttpContent();
    trailers.forEach(content.trailingHeaders()::set);
    onLoop(() -> sendLast(content));
  }

  private void sendLast(DefaultLastHttpContent content) {
    last = true;
    watcher.waiting();
    channel
        .writeAndFlush(content)
        .addListener(
            (ChannelFuture done) -> {
              if (done.isSuccess()) {
                watcher.ended();
              } else {
                channel.close();
              }
            });
  }

  @Override
  public void abort() {
    // What was written before is still sent; the last chunk never comes.
    onLoop(
        () -> {
          last = true;
          watcher.waiting();
          channel
              .writeAndFlush(Unpooled.EMPTY_BUFFER)
              .addListener((ChannelFuture done) -> channel.close());
        });
  }

  private void onLoop(Runnable task) {
    if (isNext()) {
      task.run();
    } else {
      handOver(task);
    }
  }

  /** Whether this is the event loop, and nothing that was written before waits for it. */
  private boolean isNext() {
    return channel.eventLoop().inEventLoop() && handedOver.get() == 0;
  }

  private void handOver(Runnable task) {
    handedOver.incrementAndGet();
    try {
      channel
          .eventLoop()
          .execute(
              () -> {
                handedOver.decrementAndGet();
                task.run();
              });
    } catch (RejectedExecutionException e) { // the loop has ended
      handedOver.decrementAndGet();
      throw e;
    }
  }
}
