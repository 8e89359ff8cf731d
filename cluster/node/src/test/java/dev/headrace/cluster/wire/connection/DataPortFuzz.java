package dev.headrace.cluster.wire.connection;

import dev.headrace.api.Security;
import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Arrays;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Any bytes on a connection of the data port, cut into reads of any length; the first byte says
 * what the cluster's security is, whether they come after a right handshake, and whether they are
 * bodies whose checksums are right. Whatever comes, the connection lives or is closed; nothing is
 * thrown and no buffer is left.
 */
public final class DataPortFuzz {
  private static final NodeId SELF = new NodeId(1, 2);
  private static final NodeId CALLER = new NodeId(3, 4);
  private static final int LIMIT_BYTES = 1 << 20;
  private static final UnpooledByteBufAllocator BUFFERS = new UnpooledByteBufAllocator(true);

  /** Says why each connection is closed, which is every one; held, so that it stays silent. */
  private static final Logger REFUSALS = Logger.getLogger(FrameReader.class.getName());

  static {
    REFUSALS.setLevel(Level.OFF);
  }

  private static final Loops LOOPS = new Loops(1, 1, () -> 0, "fuzz");
  private static final PortSecurity SECRET =
      PortSecurity.of(Security.secret("a secret of the mill"), "mill");

  private DataPortFuzz() {}

  /** Called by Jazzer with each input, which comes on the loop that its connection stays on. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length >= 2) {
      LOOPS.of(ConnectionClass.OPERATIONS, 0).submit(() -> connect(input)).syncUninterruptibly();
    }
  }

  private static void connect(byte[] input) {
    boolean secret = (input[0] & 1) != 0;
    boolean greeted = (input[0] & 2) != 0 && !secret;
    boolean framed = (input[0] & 4) != 0;
    int cut = 1 + (input[1] & 0xff);
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.config().setAllocator(BUFFERS);
    try {
      Wire wire = wire(secret ? SECRET : PortSecurity.NONE);
      ConnectionAcceptor acceptor =
          new ConnectionAcceptor(wire, (handshake, reader, offer) -> new Taker(), 1);
      new PendingConnection(wire, acceptor, channel, 0).start();
      FrameReader reader = channel.pipeline().get(FrameReader.class);
      if (greeted) {
        receive(channel, reader, hello(), Integer.MAX_VALUE);
      }
      byte[] rest = Arrays.copyOfRange(input, 2, input.length);
      receive(channel, reader, framed ? frame(rest) : Unpooled.wrappedBuffer(rest), cut);
    } finally {
      channel.finishAndReleaseAll();
    }
    long left = BUFFERS.metric().usedDirectMemory();
    if (left != 0) {
      throw new AssertionError(left + " bytes of buffers are left");
    }
  }

  private static Wire wire(PortSecurity security) {
    Member caller = new Member(CALLER, "caller", "localhost", 9, "", 1);
    return new Wire(
        "mill",
        SELF,
        LOOPS,
        BUFFERS,
        id -> id.equals(CALLER) ? caller : null,
        security,
        new QueueMemory(),
        Wire.newChannelGroup());
  }

  private static ByteBuf hello() {
    ByteBuf out = Unpooled.buffer().writeZero(Frame.HEADER_BYTES);
    new Handshake("mill", CALLER, SELF, ConnectionClass.OPERATIONS, 0)
        .encode(PortSecurity.Mode.NONE, out);
    new Frame().write(out, 0, Frame.HELLO, 0);
    return out;
  }

  /** A body behind the header that it needs; its first byte is the type. */
  private static ByteBuf frame(byte[] typeAndBody) {
    ByteBuf out = Unpooled.buffer().writeZero(Frame.HEADER_BYTES);
    byte type = typeAndBody.length == 0 ? Frame.HELLO : typeAndBody[0];
    if (typeAndBody.length > 0) {
      out.writeBytes(typeAndBody, 1, typeAndBody.length - 1);
    }
    new Frame().write(out, 0, type, 0);
    return out;
  }

  /** As a channel reads: into the buffer that the reader gives. */
  private static void receive(EmbeddedChannel channel, FrameReader reader, ByteBuf bytes, int cut) {
    while (bytes.isReadable() && channel.isOpen()) {
      ByteBuf room = reader.allocate(channel.alloc());
      bytes.readBytes(room, Math.min(cut, Math.min(bytes.readableBytes(), room.writableBytes())));
      channel.pipeline().fireChannelRead(room);
      channel.runPendingTasks();
      channel.checkException();
    }
  }

  /** Takes messages as a node does, without looking into them. */
  private static final class Taker implements FrameHandler {
    @Override
    public int bodyLimitBytes(byte type, long correlation) {
      return LIMIT_BYTES;
    }

    @Override
    public boolean keepsBody(byte type) {
      return type == Frame.ANSWER;
    }

    @Override
    public void frame(byte type, long correlation, ByteBuf body) {
      body.skipBytes(body.readableBytes());
    }

    @Override
    public void closed(@Nullable Throwable cause) {}
  }
}
