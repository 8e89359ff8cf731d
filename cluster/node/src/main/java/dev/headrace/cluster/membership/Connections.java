package dev.headrace.cluster.membership;

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
 * The TCP connections of a node, none of which is ever open without being known here.
 *
 * <p>At each new view JGroups closes the connections of all that are no members, those of newcomers
 * who wait to be let in among them. It lists them first and clears its table afterwards; what is
 * accepted in between is in the table no more, but open and read. A newcomer with a greater address
 * then keeps that connection and refuses every other: its requests arrive, and no answer ever
 * reaches it. Here a view closes the connections of those alone who have left, one by one.
 *
 * <p>Sending never blocks: each peer has a {@link PeerSender}. Nothing else that might wait for a
 * peer is done on a thread that others need: whoever has left gets what was sent to it before, and
 * its connection is closed a little later, without a word that it might not take.
 *
 * <p>Views come one after the other; connections are guarded by JGroups' locks, one per peer.
 */
final class Connections extends TCP {
  /** What each connection holds in either direction, whoever has opened it. */
  private static final int BUFFER_BYTES = 8 << 10;

  /** A node that leaves gets its answer within this; a thread that writes to a silent one ends. */
  private static final long PARTING_MILLIS = 500;

  private final PeerSockets sockets;
  private final Map<Address, PeerSender> senders = new ConcurrentHashMap<>();
  private @Nullable View installed; // guarded by the lock of the protocol of views

  /** Every message is written as it comes: its peer's sender is the one queue on its way. */
  Connections(PeerSockets sockets) {
    this.sockets = sockets;
    msg_processing_policy = new DirectReceipt();
    setBundlerType("no-bundler");
  }

  /** Queues what goes to others; nothing is thrown if it cannot be sent. */
  @Override
  public void send(Address peer, byte[] bytes, int offset, int length) throws Exception {
    if (peer.equals(srv.localAddress())) {
      super.send(peer, bytes, offset, length);
      return;
    }
    boolean taken = false;
    while (!taken) {
      taken = senders.computeIfAbsent(peer, this::startSender).send(bytes, offset, length);
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
      closeAll(sender.peer()); // it may have been connecting
    }
  }

  /** Has everything written that can be, and stops waiting for those who take nothing. */
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
      sender.close();
    }
    super.handleDisconnect();
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
    setBufferedInputStreamSize(BUFFER_BYTES); // here, as a bundler has made it larger since
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

  /** Called by JGroups at each view; see above for what it would do. */
  @Override
  public void retainAll(Collection<Address> members) {
    // who has left is seen in the views themselves
  }

  /** Takes leave of all peers; what is sent from now on goes over new connections. */
  void renew() {
    forEach((peer, connection) -> srv.closeConnection(connection, false));
  }

  /** Closes all connections without a word of parting, those too that others have opened. */
  void cut() {
    senders.values().forEach(PeerSender::close);
    forEach(
        (peer, connection) -> {
          close(peer, connection);
          srv.removeConnectionIfPresent(peer, connection);
        });
  }

  /** Takes a frame when all of it has arrived, if it is one of ours. */
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
   * Unless the member is one again by then. Also what is opened meanwhile, as by somebody who has
   * had something for it to be sent: there may be no connection now.
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

  /** Somebody else may listen there by now. */
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

  /** A word of parting would have to wait for whoever is writing to the peer. */
  private void close(Address peer, Connection connection) {
    try {
      connection.close(false);
    } catch (IOException e) {
      log.warn("%s: the connection to %s cannot be closed: %s", local_addr, peer, e);
    }
  }

  private void forEach(BiConsumer<Address, Connection> action) {
    TcpServer started = srv;
    if (started != null) {
      started.forAllConnections(action);
    }
  }
}
