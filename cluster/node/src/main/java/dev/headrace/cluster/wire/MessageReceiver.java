package dev.headrace.cluster.wire;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.codec.MessageCodec;
import dev.headrace.cluster.wire.codec.WireInput;
import dev.headrace.cluster.wire.connection.Frame;
import dev.headrace.cluster.wire.connection.FrameHandler;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of a connection for operations, whoever has opened it.
 *
 * <p>An event loop frames and enqueues. By default it also handles messages of operations and
 * replication: their work on bytes is bounded (a look-up, a copy, an entry in a queue), and handing
 * each to another thread would cost two wake-ups per operation, more than the work itself. User
 * code and codecs never run here. An executor that hands messages to another thread must keep their
 * order.
 */
final class MessageReceiver implements FrameHandler {
  /** The shortest time between two reports of a large message's progress. */
  private static final long PROGRESS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final NodeId from;
  private final int share;
  private final WireSettings settings;
  private final Executor executor;
  private final WireListener listener;
  private final MessageCodec codec = new MessageCodec();
  private final WireInput in = new WireInput();
  private long expectedNumber;
  private long toldNanos = System.nanoTime();

  /**
   * @param share which of the other node's connections for messages it is, from 0
   */
  MessageReceiver(NodeId from, int share, WireSettings settings, WireListener listener) {
    this.from = from;
    this.share = share;
    this.settings = settings;
    this.executor = settings.handOver().operations();
    this.listener = listener;
  }

  @Override
  public int bodyLimitBytes(byte type, long correlation) {
    if (type != Frame.MESSAGE) {
      throw new WireException("a frame of type %d instead of a message".formatted(type));
    }
    if (correlation != expectedNumber) {
      throw new WireException(
          "message %d instead of message %d of the connection"
              .formatted(correlation, expectedNumber));
    }
    return settings.messageLimitBytes();
  }

  @Override
  public void frame(byte type, long correlation, ByteBuf body) {
    expectedNumber++;
    Message message = codec.decode(in.over(body));
    executor.execute(() -> listener.onMessage(from, message));
  }

  @Override
  public void progressed() {
    long nowNanos = System.nanoTime();
    if (nowNanos - toldNanos >= PROGRESS_NANOS) {
      toldNanos = nowNanos;
      executor.execute(() -> listener.onProgress(from, share));
    }
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    executor.execute(() -> listener.onDisconnected(from));
  }
}
