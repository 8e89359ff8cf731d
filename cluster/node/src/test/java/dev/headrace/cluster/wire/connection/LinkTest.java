package dev.headrace.cluster.wire.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.security.Certificates;
import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.cluster.wire.codec.MessageCodec;
import dev.headrace.rebalance.table.Member;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.Replicated;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A link over a connection that it has opened. */
@Timeout(240)
class LinkTest {
  private static final NodeId SELF = new NodeId(1, 1);
  private static final NodeId PEER = new NodeId(2, 2);
  private static final int LARGE_BYTES = 300_000;

  private final Loops loops = new Loops(1, 1, () -> 0, "linked");
  private final Map<NodeId, Member> members = new ConcurrentHashMap<>();
  private final FailingAllocator allocator = new FailingAllocator();
  private final BlockingQueue<Byte> arrived = new LinkedBlockingQueue<>();
  private final BlockingQueue<Throwable> losses = new LinkedBlockingQueue<>();
  private @Nullable ConnectionAcceptor acceptor;

  @AfterEach
  void end() {
    if (acceptor != null) {
      acceptor.close();
    }
    loops.shutDown();
  }

  @Test
  void manyMessagesAreReadAtOnceWhoeverHasOpenedTheConnection() throws Exception {
    Wire own = wire(SELF, PortSecurity.NONE, allocator);
    Wire far = listening(PortSecurity.NONE);
    Link<Message> link = link(own, ConnectionClass.OPERATIONS);
    assertThat(link.send(message())).isTrue();
    next();
    assertThat(stagingBytes(own)).isEqualTo(FrameReader.STAGING_BYTES);
    assertThat(stagingBytes(far)).isEqualTo(FrameReader.STAGING_BYTES);
    link.close(false, new IllegalStateException("the test ends")).get(60, TimeUnit.SECONDS);
  }

  @Test
  void batchesGoToBuffersOfTheirOwn() throws Exception {
    Wire own = wire(SELF, PortSecurity.NONE, allocator);
    listening(PortSecurity.NONE);
    Link<Message> link = link(own, ConnectionClass.BULK);
    assertThat(link.send(message())).isTrue();
    next();
    assertThat(stagingBytes(own)).isEqualTo(FrameReader.HEADER_STAGING_BYTES);
    link.close(false, new IllegalStateException("the test ends")).get(60, TimeUnit.SECONDS);
  }

  @Test
  void aConnectionForWhoseEncryptionNoMemoryIsLeftIsLostOnce(@TempDir Path folder)
      throws Exception {
    PortSecurity certified =
        PortSecurity.of(new Certificates(folder, "authority").node("node"), "mill");
    Wire own = wire(SELF, certified, allocator);
    listening(certified);
    Link<Message> link = link(own, ConnectionClass.OPERATIONS);
    assertThat(link.send(message())).isTrue();
    next();
    allocator.failsFrom = SenderEngine.roomBytes(LARGE_BYTES);
    Message large = new OperationReply(1, Outcome.DONE, true, new byte[LARGE_BYTES], 1, 2, 3, 4);
    assertThat(link.send(large)).as("it is queued, and lost with the connection").isTrue();
    assertThat(losses.poll(60, TimeUnit.SECONDS))
        .hasMessageContaining("broke")
        .hasCauseInstanceOf(OutOfMemoryError.class);
    allocator.failsFrom = Integer.MAX_VALUE;
    assertThat(link.send(large)).isTrue();
    next();
    assertThat(losses).isEmpty();
    link.close(false, new IllegalStateException("the test ends")).get(60, TimeUnit.SECONDS);
  }

  private static Message message() {
    return new Replicated("quotes", 1, 2, 3, 4, true, false);
  }

  private void next() throws InterruptedException {
    assertThat(arrived.poll(60, TimeUnit.SECONDS)).isNotNull();
  }

  /** What a node's only connection reads at once. */
  private static int stagingBytes(Wire wire) {
    assertThat(wire.channels().size()).isEqualTo(1);
    Channel only = wire.channels().iterator().next();
    return only.pipeline().get(FrameReader.class).guess();
  }

  private Wire wire(NodeId self, PortSecurity security, ByteBufAllocator buffers) {
    return Wire.of("mill", self, loops, buffers, members::get, security);
  }

  /** Another node, which counts frames. */
  private Wire listening(PortSecurity security) {
    Wire far = wire(PEER, security, UnpooledByteBufAllocator.DEFAULT);
    ConnectionAcceptor made =
        new ConnectionAcceptor(far, (handshake, reader, offer) -> new Counting(), 10);
    acceptor = made;
    int port = made.listen("127.0.0.1", 0).getPort();
    members.put(SELF, new Member(SELF, "self", "127.0.0.1", 9, "", 1));
    members.put(PEER, new Member(PEER, "peer", "127.0.0.1", port, "", 1));
    return far;
  }

  private Link<Message> link(Wire wire, ConnectionClass kind) {
    return new Link<>(wire, PEER, kind, 0, new MessageCodec(), new Use());
  }

  private final class Use implements LinkUse<Message> {
    @Override
    public long maxQueuedBytes() {
      return 1 << 20;
    }

    @Override
    public Runnable lost(Throwable cause) {
      return () -> losses.add(cause);
    }

    @Override
    public FrameReceiver receiver() {
      return new Counting();
    }
  }

  private final class Counting implements FrameHandler {
    @Override
    public int bodyLimitBytes(byte type, long correlation) {
      return 1 << 20;
    }

    @Override
    public void frame(byte type, long correlation, ByteBuf body) {
      arrived.add(type);
    }

    @Override
    public void closed(@Nullable Throwable cause) {}
  }

  /** Has no memory for buffers that are as large as a test wants. */
  private static final class FailingAllocator extends AbstractByteBufAllocator {
    private volatile int failsFrom = Integer.MAX_VALUE;

    FailingAllocator() {
      super(true);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (initialCapacity >= failsFrom) {
        throw new OutOfMemoryError("no direct memory");
      }
      return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }
}
