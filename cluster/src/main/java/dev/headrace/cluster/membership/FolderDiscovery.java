package dev.headrace.cluster.membership;

import dev.headrace.stream.NodeId;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.View;
import org.jgroups.protocols.Discovery;
import org.jgroups.protocols.PingData;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.Responses;
import org.jgroups.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds the nodes of this machine through a {@link NodeFolder}.
 *
 * <p>JGroups' own FILE_PING lets two nodes that start together both become coordinators, since each
 * looks before the other writes, and believes files that crashed nodes left behind. Here a node
 * writes first and then looks, twice if it finds no coordinator, so that of nodes which start
 * together the one with the lowest identity founds the cluster; and it connects to the address in a
 * file before it believes the file. A refused connection deletes it; a file that nobody refreshes
 * is passed over. A file says whether its node is a member, so that no cluster is founded beside
 * members whose coordinator has just gone; see {@link Group}.
 *
 * <p>Called by JGroups' threads; publishing is guarded by this object's monitor.
 */
final class FolderDiscovery extends Discovery {
  /** Files older than this belong to nodes that hang; more than three refreshes. */
  static final Duration MAX_AGE = Duration.ofSeconds(10);

  private static final short PROTOCOL_ID = 1127;
  private static final long SETTLE_MILLIS = 150;
  private static final int PROBE_MILLIS = 200;

  private final NodeFolder folder;
  private boolean withdrawn; // guarded by this

  FolderDiscovery(NodeFolder folder) {
    this.folder = folder;
    setId(PROTOCOL_ID);
  }

  @Override
  public boolean isDynamic() {
    return true;
  }

  @Override
  public Object down(Event event) {
    NodeEntry.Role before = role();
    Object result = super.down(event);
    if (event.getType() == Event.VIEW_CHANGE && role() != before) {
      publish();
    }
    return result;
  }

  /** Looks up members' addresses at once: a reply to one who has just come cannot wait for it. */
  @Override
  public Object up(Event event) {
    if (event.getType() == Event.FIND_MBRS) {
      return findMembers(event.getArg(), false, false, 0);
    }
    return super.up(event);
  }

  @Override
  public void handleDisconnect() {
    withdraw(true);
  }

  @Override
  public void stop() {
    super.stop();
    withdraw(true);
  }

  /** Ends publishing; a crashed node would leave its file behind. */
  synchronized void withdraw(boolean deleteFile) {
    if (withdrawn) {
      return;
    }
    withdrawn = true;
    try {
      if (deleteFile && local_addr != null) {
        folder.delete(nodeId(local_addr));
      }
    } catch (IOException e) {
      log.warn("%s: cannot delete own file: %s", local_addr, e);
    }
  }

  @Override
  protected void findMembers(
      @Nullable List<Address> wanted, boolean initialDiscovery, Responses responses) {
    publish();
    if (!initialDiscovery) {
      for (PingData node : living(wanted)) {
        handleDiscoveryResponse(node, node.getAddress());
      }
      responses.done();
      return;
    }
    List<PingData> found = living(null);
    if (found.stream().anyMatch(PingData::isCoord)) {
      answer(found, responses);
    } else {
      Future<?> unused =
          timer.schedule(
              () -> answer(living(null), responses), SETTLE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void answer(List<PingData> found, Responses responses) {
    for (PingData node : found) {
      addDiscoveryResponseToCaches(node.getAddress(), null, node.getPhysicalAddr());
      responses.addResponse(node, true);
    }
    responses.done();
  }

  private synchronized void publish() {
    IpAddress own = ownAddress();
    if (withdrawn || own == null) {
      return;
    }
    try {
      folder.write(
          new NodeEntry(
              nodeId(local_addr),
              new InetSocketAddress(own.getIpAddress(), own.getPort()),
              role()));
    } catch (IOException e) {
      log.warn("%s: other nodes of this machine cannot find this one: %s", local_addr, e);
    }
  }

  private NodeEntry.Role role() {
    if (is_coord) {
      return NodeEntry.Role.COORDINATOR;
    }
    return view == null ? NodeEntry.Role.NEWCOMER : NodeEntry.Role.MEMBER;
  }

  private @Nullable IpAddress ownAddress() {
    return (IpAddress) down(new Event(Event.GET_PHYSICAL_ADDRESS, local_addr));
  }

  private List<PingData> living(@Nullable List<Address> wanted) {
    List<PingData> living = new ArrayList<>();
    try {
      for (NodeEntry entry : folder.read(MAX_AGE)) {
        Address address = new UUID(entry.id().high(), entry.id().low());
        if (!address.equals(local_addr) && isWanted(address, entry, wanted)) {
          living.add(
              new PingData(
                      address,
                      entry.role() != NodeEntry.Role.NEWCOMER,
                      null,
                      new IpAddress(entry.address().getAddress(), entry.address().getPort()))
                  .coord(entry.role() == NodeEntry.Role.COORDINATOR));
        }
      }
    } catch (IOException e) {
      log.warn("%s: cannot look for other nodes of this machine: %s", local_addr, e);
    }
    return living;
  }

  /** Who is asked for by name has just been heard of: its address is good without a probe. */
  private boolean isWanted(Address address, NodeEntry entry, @Nullable List<Address> wanted)
      throws IOException {
    return wanted == null ? lives(address, entry) : wanted.contains(address);
  }

  /** Whether somebody listens there; what this node listens on itself was another's before. */
  private boolean lives(Address address, NodeEntry entry) throws IOException {
    View current = view;
    if (current != null && current.containsMember(address)) {
      return true;
    }
    IpAddress own = ownAddress();
    InetSocketAddress there = entry.address();
    if (own != null && there.equals(new InetSocketAddress(own.getIpAddress(), own.getPort()))) {
      folder.delete(entry.id());
      return false;
    }
    try (Socket probe = new Socket()) {
      probe.connect(there, PROBE_MILLIS);
      return !there.equals(probe.getLocalSocketAddress()); // nobody listens: it has met itself
    } catch (ConnectException e) {
      folder.delete(entry.id());
      return false;
    } catch (IOException e) {
      log.debug("%s: %s does not answer: %s", local_addr, there, e);
      return false;
    }
  }

  private static NodeId nodeId(Address address) {
    return ChannelStack.nodeId(address);
  }
}
