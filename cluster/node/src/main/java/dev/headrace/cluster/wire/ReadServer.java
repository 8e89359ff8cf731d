package dev.headrace.cluster.wire;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.read.ReadService;
import dev.headrace.cluster.wire.codec.ReadRequestCodec;
import dev.headrace.cluster.wire.codec.WireInput;
import dev.headrace.cluster.wire.connection.Frame;
import dev.headrace.cluster.wire.connection.FrameHandler;
import dev.headrace.cluster.wire.connection.FrameReader;
import dev.headrace.cluster.wire.connection.Wire;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.operator.Operators;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The serving end of another node's connection for batches. It keeps nothing about a request after
 * the answer, and reads no further requests while the other node is slow to read the answers.
 */
final class ReadServer implements FrameHandler {
  /**
   * The most requests of one connection that are served at the same time. Those that call functions
   * of users do not count: they may take long, and must not hold up the others. The queue of their
   * threads is bounded.
   */
  private static final int MAX_SERVING = 64;

  private static final Logger log = LoggerFactory.getLogger(ReadServer.class);

  private final Wire wire;
  private final WireSettings settings;
  private final ReadService service;
  private final Channel channel;
  private final FrameReader reader;
  private final ReadRequestCodec codec = new ReadRequestCodec();
  private final WireInput in = new WireInput();
  private final AtomicInteger serving = new AtomicInteger();

  ReadServer(
      Wire wire, WireSettings settings, ReadService service, Channel channel, FrameReader reader) {
    this.wire = wire;
    this.settings = settings;
    this.service = service;
    this.channel = channel;
    this.reader = reader;
  }

  @Override
  public int bodyLimitBytes(byte type, long correlation) {
    if (type != Frame.READ) {
      throw new WireException("a frame of type %d instead of a read request".formatted(type));
    }
    return settings.requestLimitBytes();
  }

  @Override
  public void frame(byte type, long correlation, ByteBuf body) {
    ReadRequest request = codec.decode(in.over(body));
    if (counts(request)) {
      serving.incrementAndGet();
    }
    int protocol = reader.protocol();
    settings.handOver().reads().execute(() -> serve(request, correlation, protocol));
  }

  private static boolean counts(ReadRequest request) {
    Operators operators = request.operators();
    return operators == null || !operators.callsFunctions();
  }

  private void serve(ReadRequest request, long correlation, int protocol) {
    RemoteReply reply = new RemoteReply(this, request, correlation, protocol);
    try {
      service.read(request, reply);
    } catch (RuntimeException | Error e) {
      log.error("A read of cache {} failed", request.cache(), e);
      reply.abandon("the node failed while it read: " + e);
    }
  }

  /** Allocates a buffer for an answer. */
  ByteBuf buffer(int bytes) {
    return wire.allocator().directBuffer(bytes);
  }

  int batchLimitBytes() {
    return settings.batchLimitBytes();
  }

  /** Sends the answer to a request. May be called by any thread. */
  @SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
  void send(ReadRequest request, ByteBuf answer) {
    channel.writeAndFlush(answer, channel.voidPromise());
    if (counts(request) && serving.getAndDecrement() == MAX_SERVING) {
      channel.eventLoop().execute(reader::resume);
    }
  }

  /** Closes the connection because a request cannot be answered. May be called by any thread. */
  @SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
  void giveUp(OutOfMemoryError cause) {
    log.error(
        "A read cannot even be refused, and its connection {} is closed: raise"
            + " -XX:MaxDirectMemorySize of this node",
        channel,
        cause);
    channel.close();
  }

  @Override
  public boolean accepting() {
    return channel.isWritable() && serving.get() < MAX_SERVING;
  }

  @Override
  public void writabilityChanged() {
    if (channel.isWritable()) {
      reader.resume();
    }
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    log.debug("The connection for batches {} is closed", channel, cause);
  }
}
