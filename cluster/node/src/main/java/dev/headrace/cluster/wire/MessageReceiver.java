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
 * The receiving end of another node's connection for operations.
 *
 * <p>The rule is that an event loop frames and enqueues. Messages of operations and replication are
 * an exception by default: what they set off is bounded work on bytes (a probe, a copy, an entry in
 * a queue), while handing each of them to another thread costs two wake-ups per operation, more
 * than the work itself. User code and codecs still never run here. The executor decides: one that
 * hands over must keep the order.
 */
final class MessageReceiver implements FrameHandler {
  /** The progress of a large message is reported at most so often. */
  private static final long PROGRESS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final NodeId from;
  private final WireSettings settings;
  private final Executor executor;
  private final WireListener listener;
  private final MessageCodec codec = new MessageCodec();
  private final WireInput in = new WireInput();
  private long expectedNumber;
  private long toldNanos = System.nanoTime();

  MessageReceiver(NodeId from, WireSettings settings, WireListener listener) {
    this.from = from;
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
      executor.execute(() -> listener.onProgress(from));
    }
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    executor.execute(() -> listener.onDisconnected(from));
  }
}
