package dev.headrace.cluster.membership.connection;

import dev.headrace.cluster.membership.socket.PeerSockets;
import java.io.DataInput;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.blocks.cs.TcpServer;
import org.jgroups.protocols.TCP;
import org.jspecify.annotations.Nullable;

/**
 * The TCP connections of a node's membership port. It knows every connection that is open.
 *
 * <p>At each new view JGroups' own transport closes the connections of all nodes that are not
 * members, including newcomers that wait for admission. It lists the connections first and clears
 * its table afterwards: a connection accepted in between is lost from the table, but stays open and
 * is read. A newcomer with a greater address then keeps that connection and refuses every other:
 * its requests arrive, and no answer ever reaches it. Here a view closes only the connections of
 * members that have left, one by one.
 *
 * <p>Sending never blocks: each peer has a {@link PeerSender}. No shared thread does anything else
 * that might wait for a peer: a node that has left still gets what was sent to it, and its
 * connection is closed a little later, without a message that it might not read.
 *
 * <p>Views come one at a time. JGroups' locks guard the connections, one lock per peer.
 */
public final class Connections extends TCP {
  /** The size of a connection's buffer in each direction. */
  private static final int BUFFER_BYTES = 8 << 10;

  /** A node that leaves gets its answer within this time; then writing to a silent one ends. */
  private static final long PARTING_MILLIS = 500;

  private final PeerSockets sockets;
  private final Map<Address, PeerSender> senders = new ConcurrentHashMap<>();
  private @Nullable View installed; // guarded by the lock of the protocol of views

  /** Set once, before all senders are closed: a later one would live until it has been idle. */
  private volatile boolean disconnected;

  /** Bundles nothing: the only queue of a message is the sender of its peer. */
  public Connections(PeerSockets sockets) {
    this.sockets = sockets;
    msg_processing_policy = new DirectReceipt();
    setBundlerType("no-bundler");
  }

  /**
   * Queues bytes for another node. Does not throw if they cannot be sent, as nothing can when this
   * node has disconnected.
   */
  @Override
  public void send(Address peer, byte[] bytes, int offset, int length) throws Exception {
    if (peer.equals(srv.localAddress())) {
      super.send(peer, bytes, offset, length);
      return;
    }
    boolean taken = false;
    while (!taken && !disconnected) {
      PeerSender sender = senders.computeIfAbsent(peer, this::startSender);
      taken = sender.send(bytes, offset, length);
      if (disconnected) { // perhaps too late to be closed with the others
        sender.close();
      }
    }
  }

  private PeerSender startSender(Address peer) {
    PeerSender sender =
        new PeerSender(peer, (to, bytes) -> super.send(to, bytes, 0, bytes.length), this::ended);
    getThreadFactory().newThread(sender::run, "headrace-send-" + peer).start();
    return sender;
  }

  private void ended(PeerSender sender) {
    senders.remove(sender.peer(), sender);
    if (sender.parted() && !isOfMember(sender.peer())) {
      closeAll(sender.peer()); // the sender may have been connecting
    }
  }

  /**
   * Writes what peers take within {@link #PARTING_MILLIS}, then closes the connections of the
   * others.
   */
  @Override
  protected void handleDisconnect() {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PARTING_MILLIS);
    for (PeerSender sender : senders.values()) {
      if (!isWritten(sender, deadlineNanos)) {
        forEach(
            (peer, connection) -> {
              if (peer.equals(sender.peer())) {
                close(peer, connection);
              }
            });
      }
    }
    closeSenders();
    super.handleDisconnect();
  }

  private void closeSenders() {
    disconnected = true;
    senders.values().forEach(PeerSender::close);
  }

  private static boolean isWritten(PeerSender sender, long deadlineNanos) {
    try {
      return sender.awaitWritten(deadlineNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void start() throws Exception {
    // Not in the constructor: the bundler enlarges the buffers later.
    setBufferedInputStreamSize(BUFFER_BYTES);
    setBufferedOutputStreamSize(BUFFER_BYTES);
    super.start();
  }

  @Override
  public Object down(Event event) {
    Object result = super.down(event);
    if (event.getType() == Event.VIEW_CHANGE) {
      View next = event.getArg();
      List<Address> left = View.leftMembers(installed, next); // null at the first view
      installed = next;
      if (left != null) {
        left.forEach(this::closeSoon);
      }
    }
    return result;
  }

  /** JGroups calls this at each view. Does nothing, see the class comment. */
  @Override
  public void retainAll(Collection<Address> members) {
    // down() closes the connections of members that have left
  }

  /** Closes all connections in order. What is sent from now on goes over new ones. */
  public void renew() {
    forEach((peer, connection) -> srv.closeConnection(connection, false));
  }

  /** Closes all connections, accepted ones included, without a message to the peers. */
  public void cut() {
    closeSenders();
    forEach(
        (peer, connection) -> {
          close(peer, connection);
          srv.removeConnectionIfPresent(peer, connection);
        });
  }

  /** Passes a frame on when all of it has arrived and {@link FrameFilter} accepts it. */
  @Override
  public void receive(Address sender, DataInput in, int lengthBytes) throws Exception {
    byte[] frame;
    sockets.inFrame(true);
    try {
      frame = IncomingFrame.read(in, lengthBytes);
    } finally {
      sockets.inFrame(false);
    }
    FrameFilter.checkFrame(frame);
    receive(sender, frame, 0, frame.length);
  }

  /**
   * Closes the connections of a former member after a while, unless it is a member again by then.
   * That includes connections which are opened meanwhile to send what was queued.
   */
  private void closeSoon(Address member) {
    PhysicalAddress address = getPhysicalAddressFromCache(member);
    if (address != null) {
      Future<?> unused =
          getTimer().schedule(() -> part(member, address), PARTING_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void part(Address member, Address peer) {
    if (isOfMember(peer) || members.contains(member)) {
      return;
    }
    PeerSender sender = senders.get(peer);
    if (sender != null) {
      sender.part();
    }
    closeAll(peer);
  }

  /** Whether a member listens at this address; another node may have taken it over. */
  private boolean isOfMember(Address peer) {
    return members.stream().anyMatch(one -> peer.equals(getPhysicalAddressFromCache(one)));
  }

  private void closeAll(Address peer) {
    forEach(
        (address, connection) -> {
          if (address.equals(peer)) {
            close(address, connection);
            srv.removeConnectionIfPresent(address, connection);
          }
        });
  }

  /** Closes without a message to the peer, which would have to wait for the thread that writes. */
  private void close(Address peer, Connection connection) {
    try {
      connection.close(false);
    } catch (IOException e) {
      log.debug("%s: the connection to %s cannot be closed: %s", local_addr, peer, e);
    }
  }

  private void forEach(BiConsumer<Address, Connection> action) {
    TcpServer started = srv;
    if (started != null) {
      started.forAllConnections(action);
    }
  }
}
