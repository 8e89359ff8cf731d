package dev.headrace.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.membership.connection.Connections;
import dev.headrace.cluster.membership.discovery.FolderDiscovery;
import dev.headrace.cluster.membership.discovery.NodeFolder;
import dev.headrace.cluster.membership.socket.PeerSockets;
import dev.headrace.cluster.security.PortSecurity;
import java.io.DataInput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.blocks.cs.Receiver;
import org.jgroups.blocks.cs.TcpServer;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.Tuple;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whose connections a node closes, and when; and that nobody waits for another's. */
@Timeout(180)
final class ConnectionsTest {
  private static final UUID PEER = new UUID(0, 1);

  /** More than the sockets' buffers take, and less than the sender's queue. */
  private static final int FRAMES = 12;

  private static final byte[] FRAME = new byte[1 << 20];

  @TempDir private Path folder;
  private final Connections connections =
      QuietLogs.during(() -> new Connections(new PeerSockets(PortSecurity.NONE)));
  private final Await await = new Await();
  private JChannel channel;
  private TcpServer peer;
  private volatile boolean peerHasReceived;

  @BeforeEach
  void connect() throws Exception {
    InetAddress here = InetAddress.getLoopbackAddress();
    connections.setBindAddress(here).setBindPort(0).useVirtualThreads(false);
    NodeFolder found = NodeFolder.of(folder.toString(), "connections");
    channel = new JChannel(List.of(connections, new FolderDiscovery(found)));
    channel.connect("connections");
    peer = new TcpServer(here, 0, false);
    peer.usePeerConnections(true);
    peer.receiver(new Ear());
    peer.start();
    peer.getConnection(listening());
    await.until("the peer's connection", Node.LIMIT, () -> connections.getOpenConnections() == 1);
  }

  @AfterEach
  void close() {
    peer.stop();
    channel.close();
  }

  @Test
  void aNewcomerKeepsItsConnectionWhileOthersAreLetIn() {
    install(1, channel.getAddress());
    install(2, channel.getAddress(), new UUID(0, 2));
    assertThat(connections.getOpenConnections()).isEqualTo(1);
    assertThat(peerIsConnected()).isTrue();
  }

  @Test
  void aMemberWhoseAddressIsNotKnownYetKeepsItsConnection() {
    install(1, channel.getAddress());
    install(2, channel.getAddress(), PEER);
    assertThat(connections.getOpenConnections()).isEqualTo(1);
    assertThat(peerIsConnected()).isTrue();
  }

  @Test
  void theConnectionOfAMemberThatHasLeftIsClosed() {
    install(1, channel.getAddress());
    install(2, channel.getAddress(), PEER);
    PhysicalAddress address = (PhysicalAddress) peer.localAddress();
    channel.down(new Event(Event.ADD_PHYSICAL_ADDRESS, new Tuple<Address, Object>(PEER, address)));
    install(3, channel.getAddress());
    await.until("the end of the connection", Node.LIMIT, () -> !peerIsConnected());
    await.until("no connection is left", Node.LIMIT, () -> connections.getOpenConnections() == 0);
  }

  @Test
  void allConnectionsCanBeRenewed() throws Exception {
    connections.renew();
    assertThat(connections.getOpenConnections()).isZero();
    await.until("the end of the connection", Node.LIMIT, () -> !peerIsConnected());
    peer.getConnection(listening());
    await.until("a new connection", Node.LIMIT, () -> connections.getOpenConnections() == 1);
  }

  @Test
  void whoTakesNothingHoldsUpNobodyElse() throws Exception {
    try (ServerSocket deaf = deaf()) {
      sendMuch(deaf);
      sendMuch(deaf); // does not return as long as somebody waits for the deaf one
      connections.send(peer.localAddress(), FRAME, 0, FRAME.length);
      await.until("a frame at the other peer", Node.LIMIT, () -> peerHasReceived);
    }
  }

  @Test
  void aViewWithoutAMemberThatTakesNothingDoesNotWaitForIt() throws Exception {
    try (ServerSocket deaf = deaf()) {
      install(1, channel.getAddress());
      install(2, channel.getAddress(), PEER);
      channel.down(
          new Event(Event.ADD_PHYSICAL_ADDRESS, new Tuple<Address, Object>(PEER, at(deaf))));
      sendMuch(deaf);
      try (Socket accepted = deaf.accept()) {
        accepted.setSoTimeout((int) Node.LIMIT.toMillis());
        await.until("the connection", Node.LIMIT, () -> connections.getOpenConnections() == 2);
        install(3, channel.getAddress());
        await.until(
            "the end of the deaf one's connection",
            Node.LIMIT,
            () -> connections.getOpenConnections() == 1);
        assertThat(accepted.getInputStream().readAllBytes().length)
            .as("bytes that were sent before the end")
            .isLessThan(FRAMES * FRAME.length);
      }
    }
  }

  @Test
  void aConnectionThatIsOpenedWhileItsMemberLeavesIsClosedToo() throws Exception {
    try (ServerSocket left = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      install(1, channel.getAddress());
      install(2, channel.getAddress(), PEER);
      channel.down(
          new Event(Event.ADD_PHYSICAL_ADDRESS, new Tuple<Address, Object>(PEER, at(left))));
      install(3, channel.getAddress());
      connections.send(at(left), FRAME, 0, 1);
      try (Socket accepted = left.accept()) {
        accepted.setSoTimeout((int) Node.LIMIT.toMillis());
        assertThat(accepted.getInputStream().readAllBytes()).as("until its end").isNotEmpty();
      }
      await.until("the other one is left", Node.LIMIT, () -> connections.getOpenConnections() == 1);
    }
  }

  /** Somebody who takes little more than a connection. */
  private static ServerSocket deaf() throws IOException {
    ServerSocket socket = new ServerSocket();
    socket.setReceiveBufferSize(1 << 12);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return socket;
  }

  private void sendMuch(ServerSocket deaf) throws Exception {
    for (int frame = 0; frame < FRAMES; frame++) {
      connections.send(at(deaf), FRAME, 0, FRAME.length);
    }
  }

  private static IpAddress at(ServerSocket socket) {
    return new IpAddress(socket.getInetAddress(), socket.getLocalPort());
  }

  private void install(long number, Address... members) {
    channel.down(new Event(Event.VIEW_CHANGE, View.create(channel.getAddress(), number, members)));
  }

  private Address listening() {
    return (Address) channel.down(new Event(Event.GET_PHYSICAL_ADDRESS, channel.getAddress()));
  }

  private boolean peerIsConnected() {
    return peer.connectionEstablishedTo(listening());
  }

  private final class Ear implements Receiver {
    @Override
    public void receive(Address sender, byte[] bytes, int offset, int length) {
      throw new UnsupportedOperationException("Frames are read from their stream");
    }

    @Override
    public void receive(Address sender, DataInput in, int length) throws IOException {
      in.readFully(new byte[length]);
      peerHasReceived = true;
      await.changed();
    }
  }
}
