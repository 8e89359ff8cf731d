package dev.headrace.cluster.wire;

import static dev.headrace.cluster.wire.TestNode.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.wire.connection.ConnectionClass;
import dev.headrace.cluster.wire.connection.Frame;
import dev.headrace.cluster.wire.connection.Handshake;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node whose peer opens more than one connection of a share to it. */
class SeveralConnectionsTest {
  private static final NodeId PEER = new NodeId(66, 66);

  private final TestNode.Neighbours neighbours = new TestNode.Neighbours();
  private TestNode node;

  @BeforeEach
  void start() {
    node = neighbours.start(1);
    neighbours.members.put(PEER, new Member(PEER, "peer", "127.0.0.1", 9, "", 1));
  }

  @AfterEach
  void close() {
    node.close();
    assertThat(node.transport.buffers().usedBytes()).isZero();
  }

  /** Its end may be noticed later than the next connection. */
  @Test
  void aPeerThatOpensAnotherOneHasLostTheOneBefore() throws Exception {
    try (Socket first = RawPeer.connect(node);
        Socket second = RawPeer.connect(node)) {
      RawPeer.greet(first, hello(PEER));
      node.transport.send(PEER, message(1));
      assertMessage(first, 0);

      RawPeer.greet(second, hello(PEER));
      assertThat(TestNode.next(node.disconnected)).isEqualTo(PEER);
      assertThat(first.getInputStream().read()).isEqualTo(-1);
      node.transport.send(PEER, message(2));
      assertMessage(second, 0);
      RawPeer.send(second, RawPeer.messageFrame(0));
      assertThat(node.nextMessage()).isEqualTo(message(9));
    }
  }

  @Test
  void anEarlierConnectionThatSpeaksLaterDisplacesNone() throws Exception {
    try (Socket earlier = RawPeer.connect(node);
        Socket later = RawPeer.connect(node)) {
      RawPeer.greet(later, hello(PEER));
      RawPeer.greet(earlier, hello(PEER));
      node.transport.send(PEER, message(1));
      assertMessage(later, 0);
      assertThat(node.disconnected).isEmpty();
      RawPeer.send(earlier, RawPeer.messageFrame(0));
      assertThat(node.nextMessage()).isEqualTo(message(9));
    }
  }

  @Test
  void aConnectionBesideTheNodesOwnGoesOneWay() throws Exception {
    try (TestNode friend = neighbours.start(2);
        Socket beside = RawPeer.connect(node)) {
      node.transport.send(friend.id, message(1));
      assertThat(friend.nextMessage()).isEqualTo(message(1));

      RawPeer.greet(beside, hello(friend.id));
      RawPeer.send(beside, RawPeer.messageFrame(0));
      assertThat(node.nextMessage()).isEqualTo(message(9));
      node.transport.send(friend.id, message(2));
      assertThat(friend.nextMessage()).isEqualTo(message(2));
      assertThat(node.disconnected).isEmpty();
    }
  }

  private Handshake hello(NodeId caller) {
    return new Handshake("mill", caller, node.id, ConnectionClass.OPERATIONS, 0);
  }

  private static void assertMessage(Socket socket, long number) throws IOException {
    ByteBuf header = RawPeer.read(socket, Frame.HEADER_BYTES);
    assertThat(header.getByte(5)).isEqualTo(Frame.MESSAGE);
    assertThat(header.getLong(8)).isEqualTo(number);
    RawPeer.read(socket, header.getInt(0));
  }
}
