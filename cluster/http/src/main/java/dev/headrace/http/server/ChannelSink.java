package dev.headrace.http.server;

import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.exchange.StreamedBody;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Writes a body to a connection, chunk by chunk, and knows how much of it the socket has not taken.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners are told what becomes of writes.
final class ChannelSink implements BodySink {
  /** What waits for the socket while there is room for more; one more piece may come on top. */
  static final int ROOM_BYTES = 8 << 10;

  private final Channel channel;
  private final StreamedBody body;
  private final IntConsumer sent;
  private final Runnable ended;
  private final AtomicInteger held = new AtomicInteger();
  private volatile boolean full;

  /**
   * @param sent told of what the socket has taken, on the event loop
   * @param ended run on the event loop when the body was sent as a whole
   */
  ChannelSink(Channel channel, StreamedBody body, IntConsumer sent, Runnable ended) {
    this.channel = channel;
    this.body = body;
    this.sent = sent;
    this.ended = ended;
  }

  @Override
  public void write(byte[] piece) {
    held.addAndGet(piece.length);
    onLoop(
        () ->
            channel
                .writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(piece)))
                .addListener((ChannelFuture done) -> taken(piece.length, done)));
  }

  private void taken(int bytes, ChannelFuture done) {
    int left = held.addAndGet(-bytes);
    if (!done.isSuccess()) {
      channel.close();
      return;
    }
    sent.accept(bytes);
    if (left < ROOM_BYTES && full) {
      full = false;
      body.room();
    }
  }

  @Override
  public boolean hasRoom() {
    if (held.get() < ROOM_BYTES) {
      return true;
    }
    full = true;
    // It may have become less before that was seen; then nobody else tells.
    return held.get() < ROOM_BYTES;
  }

  @Override
  public void end(Map<String, String> trailers) {
    DefaultLastHttpContent last = new DefaultLastHttpContent();
    trailers.forEach(last.trailingHeaders()::set);
    onLoop(
        () ->
            channel
                .writeAndFlush(last)
                .addListener(
                    (ChannelFuture done) -> {
                      if (done.isSuccess()) {
                        ended.run();
                      } else {
                        channel.close();
                      }
                    }));
  }

  @Override
  public void abort() {
    // What was written before is still sent; the last chunk never comes.
    onLoop(
        () ->
            channel
                .writeAndFlush(Unpooled.EMPTY_BUFFER)
                .addListener((ChannelFuture done) -> channel.close()));
  }

  private void onLoop(Runnable task) {
    if (channel.eventLoop().inEventLoop()) {
      task.run();
    } else {
      channel.eventLoop().execute(task);
    }
  }
}
