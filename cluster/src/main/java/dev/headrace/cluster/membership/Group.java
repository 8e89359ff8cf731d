package dev.headrace.cluster.membership;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.pbcast.ClientGmsImpl;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.JoinRsp;
import org.jgroups.util.Promise;
import org.jgroups.util.Responses;

/**
 * The protocol of views, with newcomers that found no cluster beside another one: whoever finds
 * members waits until one of them lets it in, however long that takes.
 *
 * <p>JGroups' own newcomers also found one when members have no coordinator, because theirs has
 * just gone, and when nobody has let them in after some attempts. Until the two clusters merge, a
 * node of the new one would answer as if nothing had ever been written.
 */
final class Group extends GMS {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private volatile boolean givenUp;

  Group() {
    setId(ClassConfigurator.getProtocolId(GMS.class)); // its messages are those of that protocol
    setMaxJoinAttempts(0);
    impls.put(CLIENT, new Newcomer(this));
  }

  /** Nobody waits for the join any more: it fails. */
  void giveUp() {
    givenUp = true;
  }

  private static final class Newcomer extends ClientGmsImpl {
    private final Group group;

    Newcomer(Group group) {
      super(group);
      this.group = group;
    }

    /** Called when nobody says that it coordinates; whether this node has founded a cluster. */
    @Override
    protected boolean firstOfAllClients(Address joiner, Responses found) {
      for (PingData node : found) {
        if (node.isServer()) {
          LockSupport.parkNanos(RETRY_NANOS); // its members are about to have a coordinator
          return false;
        }
      }
      return super.firstOfAllClients(joiner, found);
    }

    /** Called before every step of joining. */
    @Override
    protected boolean installViewIfValidJoinRsp(Promise<JoinRsp> response, boolean wait) {
      if (group.givenUp) {
        throw new IllegalStateException("The node has ended before it was let in");
      }
      return super.installViewIfValidJoinRsp(response, wait);
    }
  }
}
