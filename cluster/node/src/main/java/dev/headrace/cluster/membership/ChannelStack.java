package dev.headrace.cluster.membership;

import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.membership.connection.Connections;
import dev.headrace.cluster.membership.discovery.DiscoveryProtocols;
import dev.headrace.cluster.membership.discovery.FolderDiscovery;
import dev.headrace.cluster.membership.discovery.Founding;
import dev.headrace.cluster.membership.discovery.FreshSearch;
import dev.headrace.cluster.membership.socket.PeerSockets;
import dev.headrace.cluster.security.PortSecurity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.View;
import org.jgroups.ViewId;
import org.jgroups.protocols.Discovery;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;

/**
 * One node's JGroups protocols, and their sockets.
 *
 * <p>A crash breaks TCP connections (JGRP-2869); a question to the suspect confirms it. FD_SOCK2
 * would do the same on a second port of each node, 100 above the first. Missing heartbeats reveal a
 * node that hangs, whose packets are lost, or whose machine has no power. There is no flow control,
 * so that sending never blocks: control messages are few, a full queue drops them, and
 * retransmission sends them again; see {@link Connections}.
 */
final class ChannelStack {
  private static final long JOIN_TIMEOUT_MILLIS = 1000;
  private static final long LEAVE_TIMEOUT_MILLIS = 1000;

  /**
   * A node that has been silent for this long (up to a heartbeat longer) is suspected, and leaves
   * the view if it does not answer a question either. A pause of two seconds, caused by a garbage
   * collection or a busy machine, must not be enough; and writes that wait for a lost node must go
   * on within six seconds, two of which its lease takes.
   */
  private static final long SILENCE_MILLIS = 2500;

  private static final long HEARTBEAT_MILLIS = 250;
  private static final long VERIFY_MILLIS = 400;
  private static final long MERGE_MIN_MILLIS = 500;
  private static final long MERGE_MAX_MILLIS = 2000;

  /**
   * Two nodes that connect to each other at the same time lose what they sent on one connection.
   */
  private static final long RESEND_MILLIS = 100;

  private static final int CONNECT_TIMEOUT_MILLIS = 400;

  private static final int FREE_PORTS = 100;

  /**
   * Where all nodes listen on one port, one without data that is beside another one, such as a
   * command in its container, may take one of the next ports: nobody needs to look for it. Each
   * address is then searched at as many ports, so there are few.
   */
  private static final int PORTS_BESIDE = 8;

  /** Far more than a bundle of messages or a view needs. A longer frame closes its connection. */
  private static final int MAX_FRAME_BYTES = 4 << 20;

  private final PeerSockets sockets;
  private final Connections connections;
  private final Group membership;
  private final Discovery discovery;

  ChannelStack(NodeSettings settings, InetAddress bindAddress, PortSecurity security) {
    sockets = new PeerSockets(security);
    connections = new Connections(sockets);
    discovery = DiscoveryProtocols.of(settings, bindAddress);
    membership =
        new Group(connections::renew, discovery instanceof Founding founding ? founding : null);
    int port = DiscoveryProtocols.membershipPort(settings);
    int ports = 1;
    if (port == 0 && !discovery.isDynamic()) { // JGroups needs a number then
      port = freePort(bindAddress);
      ports = FREE_PORTS;
    } else if (port != 0 && settings.membershipPort() == 0 && settings.capacity() == 0) {
      ports = isFree(bindAddress, port) ? 1 : PORTS_BESIDE;
    }
    connections
        .setBindAddress(bindAddress)
        .setBindPort(port)
        .setPortRange(ports - 1)
        .useVirtualThreads(false)
        .setSocketFactory(sockets);
    connections
        .useLockToSend(false) // one thread sends; with the lock a failed write would go unnoticed
        .logAcceptError(false) // FolderDiscovery connects only to see whether a node listens
        .logDetails(false)
        .enableSuspectEvents(true)
        .setSockConnTimeout(CONNECT_TIMEOUT_MILLIS)
        .setMaxLength(MAX_FRAME_BYTES)
        .tcpNodelay(true);
    membership
        .setJoinTimeout(JOIN_TIMEOUT_MILLIS)
        .setLeaveTimeout(LEAVE_TIMEOUT_MILLIS)
        .printLocalAddress(false);
  }

  /** The protocols, from bottom to top. */
  List<Protocol> protocols() {
    return List.of(
        connections,
        discovery,
        new MERGE3().setMaxInterval(MERGE_MAX_MILLIS).setMinInterval(MERGE_MIN_MILLIS),
        new FD_ALL3().setTimeout(SILENCE_MILLIS).setInterval(HEARTBEAT_MILLIS),
        new VERIFY_SUSPECT2().setTimeout(VERIFY_MILLIS),
        new NAKACK2().useMcastXmit(false).setXmitInterval(RESEND_MILLIS),
        new UNICAST3().setXmitInterval(RESEND_MILLIS),
        new STABLE(),
        new FreshSearch(),
        membership,
        new FRAG4());
  }

  /** The port on which this node listens, once the channel is connected. */
  int port() {
    IpAddress address =
        (IpAddress) membership.down(new Event(Event.GET_PHYSICAL_ADDRESS, membership.getAddress()));
    return address.getPort();
  }

  /**
   * What the search for a cluster has seen so far, as text for people; empty if the discovery does
   * not tell.
   */
  String outlook() {
    return membership.outlook();
  }

  /** Closes all sockets for good without telling anybody, as a crash of the process does. */
  void cut() {
    connections.enableSuspectEvents(false);
    if (discovery instanceof FolderDiscovery folder) {
      folder.withdraw(false);
    }
    membership.giveUp();
    sockets.cut();
    connections.cut();
  }

  /**
   * After {@link #cut}: shows the channel a view of this node alone, so that closing it waits for
   * nobody.
   */
  void forgetOthers(JChannel channel) {
    View view = channel.getView();
    Address self = channel.getAddress();
    if (view != null && self != null) {
      ViewId next = new ViewId(self, view.getViewId().getId() + 1);
      membership.installView(new View(next, List.of(self)));
    }
    connections.cut();
  }

  /** A port that is free now. If another process takes it first, JGroups tries the next ones. */
  private static int freePort(InetAddress bindAddress) {
    try (ServerSocket probe = new ServerSocket(0, 1, bindAddress)) {
      return probe.getLocalPort();
    } catch (IOException e) {
      throw new HeadraceException(
          "No port of " + bindAddress.getHostAddress() + " is free: set membershipPort", e);
    }
  }

  private static boolean isFree(InetAddress bindAddress, int port) {
    try (ServerSocket probe = new ServerSocket(port, 1, bindAddress)) {
      return probe.isBound();
    } catch (IOException e) {
      return false; // a taken one
    }
  }
}
