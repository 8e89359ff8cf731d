package dev.headrace.cluster.wire;

import static dev.headrace.cluster.wire.RawPeer.greet;
import static dev.headrace.cluster.wire.RawPeer.helloFrame;
import static dev.headrace.cluster.wire.RawPeer.messageFrame;
import static dev.headrace.cluster.wire.RawPeer.read;
import static dev.headrace.cluster.wire.RawPeer.send;
import static dev.headrace.cluster.wire.TestNode.message;
import static dev.headrace.cluster.wire.TestNode.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.wire.codec.ReadRequestCodec;
import dev.headrace.cluster.wire.codec.WireInput;
import dev.headrace.cluster.wire.codec.WireOutput;
import dev.headrace.cluster.wire.connection.ConnectionClass;
import dev.headrace.cluster.wire.connection.Frame;
import dev.headrace.cluster.wire.connection.FrameReader;
import dev.headrace.cluster.wire.connection.Handshake;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What strangers and damaged peers can send, byte by byte. */
class BadFrameTest {
  private static final NodeId CALLER = new NodeId(66, 66);

  private final TestNode.Neighbours neighbours = new TestNode.Neighbours();
  private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();
  private final Logger logger = Logger.getLogger(FrameReader.class.getName());
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord event) {
          logged.add(event.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private TestNode node;
  private TestNode friend;

  @BeforeEach
  void start() throws Exception {
    logger.setLevel(Level.ALL); // whatever other tests have told the root of all loggers
    logger.addHandler(handler);
    node = neighbours.start(1);
    friend = neighbours.start(2);
    neighbours.members.put(CALLER, new Member(CALLER, "caller", "127.0.0.1", 9, "", 1));
    friend.transport.send(node.id, message(1));
    assertThat(node.nextMessage()).isEqualTo(message(1));
  }

  @AfterEach
  void nothingElseWasDisturbed() throws Exception {
    friend.transport.send(node.id, message(2));
    assertThat(node.nextMessage()).isEqualTo(message(2));
    assertThat(node.disconnected).doesNotContain(friend.id);
    assertThat(friend.disconnected).isEmpty();
    friend.close();
    node.close();
    assertThat(node.transport.buffers().usedBytes()).isZero();
    logger.removeHandler(handler);
    logger.setLevel(null);
  }

  @Test
  void anUnknownVersionOfTheProtocolIsRefused() throws Exception {
    try (Socket socket = greeted(ConnectionClass.OPERATIONS)) {
      ByteBuf frame = messageFrame(0);
      frame.setByte(4, 99);
      assertRefused(
          socket, frame, "version 99 of the protocol is unknown, this node knows version");
    }
  }

  @Test
  void anotherProtocolIsRefused() throws Exception {
    try (Socket socket = connect()) {
      ByteBuf http =
          Unpooled.copiedBuffer("GET / HTTP/1.1\r\nHost: mill\r\n\r\n", StandardCharsets.US_ASCII);
      assertRefused(socket, http, "of the protocol is unknown");
    }
  }

  @Test
  void aDamagedHeaderIsRefused() throws Exception {
    for (int place : new int[] {0, 3, 5, 6, 8, 15, 16, 20, 23}) {
      try (Socket socket = greeted(ConnectionClass.OPERATIONS)) {
        ByteBuf frame = messageFrame(0);
        frame.setByte(place, frame.getByte(place) ^ 0x10);
        assertRefused(socket, frame, "the header's checksum");
      }
    }
  }

  @Test
  void aDamagedBodyIsRefused() throws Exception {
    for (int place = Frame.HEADER_BYTES; place < messageFrame(0).readableBytes(); place++) {
      try (Socket socket = greeted(ConnectionClass.OPERATIONS)) {
        ByteBuf frame = messageFrame(0);
        frame.setByte(place, frame.getByte(place) ^ 1);
        assertRefused(socket, frame, "the checksum of a body");
      }
    }
    assertThat(node.messages).isEmpty();
  }

  @Test
  void aForgedLengthIsRefusedBeforeRoomIsMade() throws Exception {
    for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 512 << 20}) {
      try (Socket socket = greeted(ConnectionClass.OPERATIONS)) {
        ByteBuf frame = Unpooled.buffer(64).writeZero(Frame.HEADER_BYTES);
        new Frame().writeHeader(frame, 0, Frame.MESSAGE, 0, length, 0);
        assertRefused(socket, frame, "claims a body of " + Integer.toUnsignedString(length));
      }
    }
    assertThat(node.transport.buffers().usedBytes()).isLessThan(4 << 20);
  }

  @Test
  void aForgedCountIsRefused() throws Exception {
    try (Socket socket = greeted(ConnectionClass.BULK)) {
      ByteBuf frame = Unpooled.buffer(64).writeZero(Frame.HEADER_BYTES);
      WireOutput.writeName(frame, "quotes");
      frame.writeInt(0).writeByte(1);
      WireOutput.writeVarInt(frame, 1024); // segments, of which none follows
      new Frame().write(frame, 0, Frame.READ, 0);
      assertRefused(socket, frame, "claims 1024 elements");
    }
  }

  @Test
  void aTruncatedFrameIsRefusedWhenTheConnectionEnds() throws Exception {
    ByteBuf whole = messageFrame(0);
    for (int bytes : new int[] {1, Frame.HEADER_BYTES, whole.readableBytes() - 1}) {
      try (Socket socket = greeted(ConnectionClass.OPERATIONS)) {
        send(socket, whole.copy(0, bytes));
        socket.shutdownOutput();
        assertRefused(socket, Unpooled.EMPTY_BUFFER, "ended in the middle of a frame");
      }
    }
  }

  @Test
  void aMessageOutOfTurnIsRefused() throws Exception {
    try (Socket socket = greeted(ConnectionClass.OPERATIONS)) {
      send(socket, messageFrame(0));
      assertRefused(socket, messageFrame(2), "message 2 instead of message 1");
    }
    assertThat(node.nextMessage()).isEqualTo(message(9));
  }

  @Test
  void frameTypesOutOfPlaceAreRefused() throws Exception {
    for (byte type = 0; type < 20; type++) {
      for (ConnectionClass connectionClass : ConnectionClass.values()) {
        boolean bulk = connectionClass == ConnectionClass.BULK;
        if (type != (bulk ? Frame.READ : Frame.MESSAGE)) {
          try (Socket socket = greeted(connectionClass)) {
            ByteBuf frame = Unpooled.buffer(64).writeZero(Frame.HEADER_BYTES);
            new Frame().write(frame, 0, type, 0);
            assertRefused(socket, frame, "a frame of type " + type);
          }
        }
      }
    }
  }

  @Test
  void anotherClusterIsRefusedAndTold() throws Exception {
    Handshake hello = new Handshake("pond", CALLER, node.id, ConnectionClass.OPERATIONS, 0);
    assertRefusal(hello, "'pond'", "mill");
  }

  @Test
  void whoeverLooksForAnotherNodeIsRefusedAndTold() throws Exception {
    Handshake hello =
        new Handshake("mill", CALLER, new NodeId(5, 5), ConnectionClass.OPERATIONS, 0);
    assertRefusal(hello, "this is not node " + hello.callee(), node.id.toString());
  }

  @Test
  void aConnectionThatBeginsOtherwiseIsRefused() throws Exception {
    try (Socket socket = connect()) {
      ByteBuf frame = helloFrame(new Handshake("mill", CALLER, node.id, ConnectionClass.BULK, 0));
      frame.setLong(Frame.HEADER_BYTES, 42);
      new Frame().write(frame, 0, Frame.HELLO, 0);
      assertRefused(socket, frame, "the connection begins with 000000000000002a");
    }
  }

  @Test
  void noiseAfterTheHandshakeNeverHurts() throws Exception {
    Random random = new Random(4);
    for (int i = 0; i < 50; i++) {
      boolean bulk = i % 2 == 0;
      try (Socket socket = greeted(bulk ? ConnectionClass.BULK : ConnectionClass.OPERATIONS)) {
        byte[] noise = new byte[Frame.HEADER_BYTES + random.nextInt(5000)];
        random.nextBytes(noise);
        assertRefused(socket, Unpooled.wrappedBuffer(noise), "");
      }
    }
  }

  @Test
  void noiseWithRightChecksumsNeverHurts() throws Exception {
    Random random = new Random(5);
    for (int i = 0; i < 100; i++) {
      boolean bulk = i % 2 == 0;
      try (Socket socket = greeted(bulk ? ConnectionClass.BULK : ConnectionClass.OPERATIONS)) {
        byte[] noise = new byte[random.nextInt(30_000)];
        random.nextBytes(noise);
        ByteBuf frame = Unpooled.buffer(64).writeZero(Frame.HEADER_BYTES).writeBytes(noise);
        new Frame().write(frame, 0, bulk ? Frame.READ : Frame.MESSAGE, 0);
        assertRefused(socket, frame, "");
      }
    }
  }

  @Test
  void whoeverAsksAndDoesNotReadIsNotServedBeyondABound() throws Exception {
    int requests = 400;
    int bytes = 1 << 20;
    AtomicInteger served = new AtomicInteger();
    AtomicLong mostBytes = new AtomicLong();
    TestNode[] self = new TestNode[1];
    TestNode server =
        neighbours.start(
            3,
            s -> s,
            (request, reply) -> {
              reply.entries(request.maxBytes()).position(request.maxBytes());
              mostBytes.accumulateAndGet(self[0].transport.buffers().usedBytes(), Math::max);
              reply.answer(
                  1,
                  List.of(new SegmentPart(5, 1, SegmentPart.Status.DONE, Cursor.START)),
                  0,
                  Batch.NO_SEQUENCE);
              served.incrementAndGet();
            });
    self[0] = server;
    try (Socket socket = RawPeer.connect(server)) {
      greet(socket, new Handshake("mill", CALLER, server.id, ConnectionClass.BULK, 0));
      for (int i = 0; i < requests; i++) {
        ByteBuf frame = Unpooled.buffer(64).writeZero(Frame.HEADER_BYTES);
        new ReadRequestCodec().encode(request(1, bytes), frame);
        new Frame().write(frame, 0, Frame.READ, i);
        send(socket, frame);
      }
      TestNode.await(() -> served.get() > 0);
      for (int i = 0; i < requests; i++) {
        ByteBuf header = read(socket, Frame.HEADER_BYTES);
        assertThat(header.getLong(8)).isEqualTo(i);
        read(socket, header.getInt(0));
      }
    } finally {
      server.close();
    }
    assertThat(mostBytes.get()).isLessThan(16L * bytes);
  }

  /** The reason says what the caller knows, and not what it does not know. */
  private void assertRefusal(Handshake hello, String reason, String hidden) throws Exception {
    try (Socket socket = connect()) {
      send(socket, helloFrame(hello));
      ByteBuf header = read(socket, Frame.HEADER_BYTES);
      assertThat(header.getByte(5)).isEqualTo(Frame.REFUSAL);
      ByteBuf body = read(socket, header.getInt(0));
      assertThat(new WireInput().over(body).readName()).contains(reason).doesNotContain(hidden);
      assertRefused(socket, Unpooled.EMPTY_BUFFER, reason);
    }
  }

  /** Sends the bytes and waits until the node has closed the connection and logged why. */
  private void assertRefused(Socket socket, ByteBuf bytes, String reason) throws Exception {
    if (bytes.isReadable()) {
      send(socket, bytes);
    }
    try {
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    } catch (IOException reset) {
      assertThat(reset).hasMessageContaining("reset");
    }
    assertThat(TestNode.next(logged)).startsWith("Closed the connection").contains(reason);
  }

  private Socket connect() throws IOException {
    return RawPeer.connect(node);
  }

  private Socket greeted(ConnectionClass connectionClass) throws IOException {
    Socket socket = connect();
    greet(socket, new Handshake("mill", CALLER, node.id, connectionClass, 0));
    return socket;
  }
}
