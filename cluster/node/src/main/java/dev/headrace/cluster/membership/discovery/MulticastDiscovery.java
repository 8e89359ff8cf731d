package dev.headrace.cluster.membership.discovery;

import dev.headrace.cluster.membership.connection.FrameFilter;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.MulticastSocket;
import java.net.SocketException;
import java.util.Objects;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.MPING;
import org.jgroups.util.ByteArrayDataInputStream;

/**
 * Finds nodes by multicast, and accepts nothing else from its socket: otherwise anybody who reaches
 * the group could send messages of any protocol, past the checks of the connections.
 */
final class MulticastDiscovery extends MPING {
  private static final int MAX_DATAGRAM_BYTES = 65_535;

  MulticastDiscovery() {
    setId(ClassConfigurator.getProtocolId(MPING.class));
  }

  @Override
  public void run() {
    DatagramPacket packet = new DatagramPacket(new byte[MAX_DATAGRAM_BYTES], MAX_DATAGRAM_BYTES);
    MulticastSocket socket = mcast_receive_sock;
    while (socket != null && Thread.currentThread().equals(receiver)) {
      packet.setLength(MAX_DATAGRAM_BYTES);
      try {
        socket.receive(packet);
        take(packet);
      } catch (SocketException e) {
        return; // closed
      } catch (IOException | ClassNotFoundException | RuntimeException e) {
        log.debug("%s: dropped a datagram of %s: %s", local_addr, packet.getSocketAddress(), e);
      }
      socket = mcast_receive_sock;
    }
  }

  private void take(DatagramPacket packet) throws IOException, ClassNotFoundException {
    byte[] bytes = packet.getData();
    FrameFilter.checkDatagram(bytes, packet.getOffset(), packet.getLength());
    Message message = new BytesMessage();
    message.readFrom(new ByteArrayDataInputStream(bytes, packet.getOffset(), packet.getLength()));
    if (message.getHeader(id) != null && !Objects.equals(local_addr, message.getSrc())) {
      up(message);
    }
  }
}
