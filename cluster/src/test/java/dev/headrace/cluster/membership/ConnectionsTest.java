package dev.headrace.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.blocks.cs.TcpServer;
import org.jgroups.util.Tuple;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whose connections a node closes, and when. */
@Timeout(60)
final class ConnectionsTest {
  private static final UUID PEER = new UUID(0, 1);

  @TempDir private Path folder;
  private final Connections connections = new Connections();
  private final Await await = new Await();
  private JChannel channel;
  private TcpServer peer;

  @BeforeEach
  void connect() throws Exception {
    QuietLogs.apply();
    InetAddress here = InetAddress.getLoopbackAddress();
    connections.setBindAddress(here).setBindPort(0).useVirtualThreads(false);
    NodeFolder found = NodeFolder.of(folder.toString(), "connections");
    channel = new JChannel(List.of(connections, new FolderDiscovery(found)));
    channel.connect("connections");
    peer = new TcpServer(here, 0, false);
    peer.usePeerConnections(true);
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
    assertThat(connections.getOpenConnections()).isZero();
    await.until("the end of the connection", Node.LIMIT, () -> !peerIsConnected());
  }

  @Test
  void allConnectionsCanBeRenewed() throws Exception {
    connections.renew();
    assertThat(connections.getOpenConnections()).isZero();
    await.until("the end of the connection", Node.LIMIT, () -> !peerIsConnected());
    peer.getConnection(listening());
    await.until("a new connection", Node.LIMIT, () -> connections.getOpenConnections() == 1);
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
}
