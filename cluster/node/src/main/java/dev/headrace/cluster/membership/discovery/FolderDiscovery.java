package dev.headrace.cluster.membership.discovery;

import dev.headrace.cluster.membership.connection.NodeAddress;
import dev.headrace.cluster.membership.socket.RareWarning;
import dev.headrace.stream.NodeId;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.View;
import org.jgroups.protocols.Discovery;
import org.jgroups.protocols.PingData;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.Responses;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the nodes of this machine through a {@link NodeFolder}.
 *
 * <pre>
 * role         event          guard                             next         effects
 * -----------------------------------------------------------------------------------------------
 * NEWCOMER     look, every    all others are newcomers with     FOUNDING     write the role
 *              50 ms          a greater identity
 * FOUNDING     second look    the same still holds              FOUNDING     found the cluster
 * FOUNDING     second look    another node came first           NEWCOMER     write the role
 * NEWCOMER     look           one is not a newcomer             NEWCOMER     ask it for admission
 * any          view           this node is not its first        MEMBER       write the role
 * any          view           this node is its first            COORDINATOR  write the role
 * any          withdraw                                         gone         delete the file
 * </pre>
 *
 * <p>JGroups' own FILE_PING has two flaws: of two nodes that start together both become
 * coordinators, since each looks before the other writes; and it believes files that crashed nodes
 * have left behind. Here a node writes first and then looks. One that is about to found the cluster
 * writes that, too, and looks again: of two that start together at least one sees the other, and
 * the one with the lowest identity goes on. A node connects to the address in a file before it
 * believes the file: it deletes the file if the connection is refused, and skips files that nobody
 * refreshes. A file tells whether its node is a member, so that nobody founds a second cluster
 * while the members have no coordinator; see {@code Group}.
 *
 * <p>JGroups' threads call it. This object's monitor guards publishing.
 */
public final class FolderDiscovery extends Discovery implements Founding {
  /** A file that is older belongs to a node that hangs: it has missed three refreshes. */
  static final Duration MAX_AGE = Duration.ofSeconds(10);

  private static final short PROTOCOL_ID = 1127;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int PROBE_MILLIS = 200;

  private static final Logger LOG = LoggerFactory.getLogger(FolderDiscovery.class);

  private final RareWarning unfound = new RareWarning(LOG); // JGroups' log goes to DEBUG
  private final RareWarning unread = new RareWarning(LOG);
  private final NodeFolder folder;
  private boolean withdrawn; // guarded by this
  private volatile NodeEntry.Role newcomer = NodeEntry.Role.NEWCOMER;
  private volatile boolean mayFound;
  private volatile boolean givenUp;
  private volatile List<NodeEntry> seen = List.of();

  public FolderDiscovery(NodeFolder folder) {
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

  /**
   * Looks up members' addresses at once, since a reply to a newcomer cannot wait for the next
   * search.
   */
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

  /**
   * Stops publishing.
   *
   * @param deleteFile false to leave the file behind, as a crash does
   */
  public synchronized void withdraw(boolean deleteFile) {
    if (withdrawn) {
      return;
    }
    withdrawn = true;
    try {
      if (deleteFile && local_addr != null) {
        folder.delete(nodeId(local_addr));
      }
    } catch (IOException e) {
      log.debug("%s: cannot delete own file: %s", local_addr, e);
    }
  }

  @Override
  protected void findMembers(
      @Nullable List<Address> wanted, boolean initialDiscovery, Responses responses) {
    publish();
    if (initialDiscovery) {
      search(responses);
      return;
    }
    for (NodeEntry node : living(wanted)) {
      PingData data = pingData(node);
      handleDiscoveryResponse(data, data.getAddress());
    }
    responses.done();
  }

  /** Returns when there are members, or this node may found the cluster. */
  private void search(Responses responses) {
    while (!givenUp) {
      List<NodeEntry> found = living(null);
      if (isFirst(found)) {
        newcomer = NodeEntry.Role.FOUNDING;
        publish(); // before it looks again
        found = living(null);
        mayFound = isFirst(found);
        if (mayFound) {
          responses.done();
          return;
        }
        newcomer = NodeEntry.Role.NEWCOMER;
        publish();
      }
      seen = found;
      if (found.stream().anyMatch(node -> node.role() != NodeEntry.Role.NEWCOMER)) {
        answer(found, responses);
        return;
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
    throw new IllegalStateException("The node was closed before it was admitted");
  }

  /** Whether all others are newcomers with a greater identity. */
  private boolean isFirst(List<NodeEntry> found) {
    return found.stream()
        .allMatch(
            node ->
                node.role() == NodeEntry.Role.NEWCOMER && address(node).compareTo(local_addr) > 0);
  }

  private void answer(List<NodeEntry> found, Responses responses) {
    for (NodeEntry node : found) {
      PingData data = pingData(node);
      addDiscoveryResponseToCaches(data.getAddress(), null, data.getPhysicalAddr());
      responses.addResponse(data, true);
    }
    responses.done();
  }

  // ---- Founding

  @Override
  public boolean mayFound() {
    return mayFound;
  }

  @Override
  public String outlook() {
    return seen.isEmpty()
        ? "no other node is in the folder " + folder
        : seen.stream().map(FolderDiscovery::unanswered).collect(Collectors.joining(", "));
  }

  private static String unanswered(NodeEntry node) {
    String role = node.role().name().toLowerCase(Locale.ROOT);
    String address = node.address().toString().replaceFirst("^.*/", "");
    return "the " + role + " at " + address + " is in the folder and did not answer";
  }

  @Override
  public void giveUp() {
    givenUp = true;
  }

  // ---- The folder

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
      unfound.warn(
          "Other nodes of this machine cannot find this one, since its file cannot be written: "
              + e);
    }
  }

  private NodeEntry.Role role() {
    if (is_coord) {
      return NodeEntry.Role.COORDINATOR;
    }
    return view == null ? newcomer : NodeEntry.Role.MEMBER;
  }

  private @Nullable IpAddress ownAddress() {
    return (IpAddress) down(new Event(Event.GET_PHYSICAL_ADDRESS, local_addr));
  }

  private List<NodeEntry> living(@Nullable List<Address> wanted) {
    List<NodeEntry> living = new ArrayList<>();
    try {
      for (NodeEntry entry : folder.read(MAX_AGE)) {
        Address address = address(entry);
        if (!address.equals(local_addr) && isWanted(address, entry, wanted)) {
          living.add(entry);
        }
      }
    } catch (IOException e) {
      unread.warn("Other nodes of this machine cannot be looked for: " + e);
    }
    return living;
  }

  private static Address address(NodeEntry node) {
    return NodeAddress.address(node.id());
  }

  private static PingData pingData(NodeEntry node) {
    return new PingData(
            address(node),
            node.role() != NodeEntry.Role.NEWCOMER,
            null,
            new IpAddress(node.address().getAddress(), node.address().getPort()))
        .coord(node.role() == NodeEntry.Role.COORDINATOR);
  }

  /** A node that is asked for by its identity was heard of just now, so it needs no probe. */
  private boolean isWanted(Address address, NodeEntry entry, @Nullable List<Address> wanted)
      throws IOException {
    return wanted == null ? lives(address, entry) : wanted.contains(address);
  }

  /** Whether the node listens at its address. If this node listens there, the file is outdated. */
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
      return !there.equals(
          probe.getLocalSocketAddress()); // the socket connected to itself: nobody listens there
    } catch (ConnectException e) {
      folder.delete(entry.id());
      return false;
    } catch (IOException e) {
      log.debug("%s: %s does not answer: %s", local_addr, there, e);
      return false;
    }
  }

  private static NodeId nodeId(Address address) {
    return NodeAddress.nodeId(address);
  }
}
