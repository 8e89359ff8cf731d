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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The protocol of views, with newcomers that found no cluster beside another one: whoever finds
 * members waits until one of them lets it in, however long that takes.
 *
 * <p>JGroups' own newcomers also found one when members have no coordinator, because theirs has
 * just gone, and when nobody has let them in after some attempts. Until the two clusters merge, a
 * node of the new one would answer as if nothing had ever been written.
 */
final class Group extends GMS {
  /** As many requests to be let in may remain without an answer on the same connections. */
  static final int MAX_UNANSWERED = 3;

  private static final Logger LOG = LoggerFactory.getLogger(Group.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Runnable renewConnections;
  private final @Nullable Founding founding;
  private volatile boolean givenUp;

  /**
   * Has no members yet.
   *
   * @param renewConnections closes the connections of a node that nobody answers; such a node has
   *     no state but these
   * @param founding who may found a cluster, where the discovery knows; otherwise JGroups decides
   *     by what is found
   */
  Group(Runnable renewConnections, @Nullable Founding founding) {
    this.renewConnections = renewConnections;
    this.founding = founding;
    setId(ClassConfigurator.getProtocolId(GMS.class)); // its messages are those of that protocol
    setMaxJoinAttempts(0);
    impls.put(CLIENT, new Newcomer(this));
  }

  /** The join is given up: it fails. */
  void giveUp() {
    givenUp = true;
    if (founding != null) {
      founding.giveUp();
    }
  }

  /** What the search for a cluster has seen so far, for people; empty where that is not known. */
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

    /** Called when nobody says that it coordinates; whether this node has founded a cluster. */
    @Override
    protected boolean firstOfAllClients(Address joiner, Responses found) {
      for (PingData node : found) {
        if (node.isServer()) {
          LockSupport.parkNanos(RETRY_NANOS); // its members are about to have a coordinator
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

    /** Called before every step of joining, and to wait for the answer to a request. */
    @Override
    protected boolean installViewIfValidJoinRsp(Promise<JoinRsp> response, boolean wait) {
      if (group.givenUp) {
        throw new IllegalStateException("The node has ended before it was let in");
      }
      boolean joined = super.installViewIfValidJoinRsp(response, wait);
      if (wait && !joined) {
        unanswered++;
        if (unanswered % MAX_UNANSWERED == 0) {
          beginAnew();
        }
      }
      return joined;
    }

    /** What came to nothing may be due to the connection: the next request takes another one. */
    private void beginAnew() {
      if (unanswered == MAX_UNANSWERED) {
        LOG.warn(
            "{} has asked {} times to be let into its cluster, and got no answer; it keeps"
                + " asking over new connections until its joinTimeout has passed",
            group.getAddress(),
            unanswered);
      }
      group.renewConnections.run();
    }
  }
}
