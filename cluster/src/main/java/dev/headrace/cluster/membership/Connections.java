package dev.headrace.cluster.membership;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
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
 * <p>Views come one after the other; connections are guarded by JGroups' locks, one per peer.
 */
final class Connections extends TCP {
  private @Nullable View installed; // guarded by the lock of the protocol of views

  Connections() {
    msg_processing_policy = new DirectReceipt();
  }

  @Override
  public Object down(Event event) {
    Object result = super.down(event);
    if (event.getType() == Event.VIEW_CHANGE) {
      View next = event.getArg();
      List<Address> left = View.leftMembers(installed, next); // null at the first view
      installed = next;
      if (left != null) {
        left.forEach(this::closeConnection);
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
    forEach(
        (peer, connection) -> {
          try {
            connection.close(false);
          } catch (IOException e) {
            log.warn("%s: the connection to %s cannot be closed: %s", local_addr, peer, e);
          }
          srv.removeConnectionIfPresent(peer, connection);
        });
  }

  private void closeConnection(Address member) {
    PhysicalAddress address = getPhysicalAddressFromCache(member);
    if (address != null) {
      srv.closeConnection(address, false);
    }
  }

  private void forEach(BiConsumer<Address, Connection> action) {
    TcpServer started = srv;
    if (started != null) {
      started.forAllConnections(action);
    }
  }
}
