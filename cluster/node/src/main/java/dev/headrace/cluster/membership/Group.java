package dev.headrace.cluster.membership;

import dev.headrace.cluster.membership.discovery.Founding;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The protocol of views. A newcomer that finds members waits until one of them admits it, however
 * long that takes, and never founds a second cluster beside theirs.
 *
 * <p>In JGroups' own protocol a newcomer founds a cluster, too, when the members have just lost
 * their coordinator, and after some attempts without an answer. Until the two clusters merged, a
 * node of the new one would answer as if nothing had ever been written.
 */
final class Group extends GMS {
  /** After this many unanswered requests to join, the newcomer opens new connections. */
  static final int MAX_UNANSWERED = 3;

  private static final Logger LOG = LoggerFactory.getLogger(Group.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Runnable renewConnections;
  private final @Nullable Founding founding;
  private volatile boolean givenUp;

  /**
   * A group without members.
   *
   * @param renewConnections closes this node's connections; run while no member answers
   * @param founding decides whether this node may found a cluster; null if the discovery cannot
   *     tell, so that JGroups decides by what it finds
   */
  Group(Runnable renewConnections, @Nullable Founding founding) {
    this.renewConnections = renewConnections;
    this.founding = founding;
    setId(ClassConfigurator.getProtocolId(GMS.class)); // its messages are those of that protocol
    setMaxJoinAttempts(0);
    impls.put(CLIENT, new Newcomer(this));
  }

  /** Makes the join fail. */
  void giveUp() {
    givenUp = true;
    if (founding != null) {
      founding.giveUp();
    }
  }

  /**
   * What the search for a cluster has seen so far, as text for people; empty if the discovery does
   * not tell.
   */
  String outlook() {
    return founding == null ? "" : founding.outlook();
  }

  private static final class Newcomer extends ClientGmsImpl {
    private final Group group;
    private int unanswered; // used by the thread that joins

    Newcomer(Group group) {
      super(group);
      this.group = group;
    }

    /**
     * Called when no node answers as coordinator. Returns whether this node has founded a cluster.
     */
    @Override
    protected boolean firstOfAllClients(Address joiner, Responses found) {
      for (PingData node : found) {
        if (node.isServer()) {
          LockSupport.parkNanos(RETRY_NANOS); // the members will soon have a coordinator
          return false;
        }
      }
      Founding decides = group.founding;
      if (decides == null) {
        return super.firstOfAllClients(joiner, found);
      }
      if (decides.mayFound()) {
        return super.firstOfAllClients(joiner, new Responses(false));
      }
      LockSupport.parkNanos(RETRY_NANOS);
      return false;
    }

    /** JGroups calls this before each step of joining, and to wait for the answer to a request. */
    @Override
    protected boolean installViewIfValidJoinRsp(Promise<JoinRsp> response, boolean wait) {
      if (group.givenUp) {
        throw new IllegalStateException("The node was closed before it was admitted");
      }
      boolean joined = super.installViewIfValidJoinRsp(response, wait);
      if (wait && !joined) {
        unanswered++;
        if (unanswered % MAX_UNANSWERED == 0) {
          renewConnections();
        }
      }
      return joined;
    }

    /** The connection may be the reason that no answer comes: the next request uses a new one. */
    private void renewConnections() {
      if (unanswered == MAX_UNANSWERED) {
        LOG.warn(
            "{} asked {} times to join its cluster and got no answer; it keeps asking over new"
                + " connections until its joinTimeout has passed",
            group.getAddress(),
            unanswered);
      }
      group.renewConnections.run();
    }
  }
}
