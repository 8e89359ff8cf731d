package dev.headrace.cluster.membership;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.JoinTimeoutException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.membership.connection.NodeAddress;
import dev.headrace.cluster.membership.discovery.DiscoveryProtocols;
import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.stream.NodeId;
import java.net.BindException;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.ViewId;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.NameCache;
import org.jgroups.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Membership by a JGroups channel over TCP.
 *
 * <pre>
 * phase    event                   next     effects
 * ---------------------------------------------------------------------------------------------
 * NEW      start                   JOINING  connect the channel on a thread of its own
 * JOINING  the channel connects    JOINED   deliver the first view, then messages and views
 * JOINING  time out, failure       ENDED    cut the channel; start throws
 * JOINED   view, message           JOINED   deliver, in order
 * any      close                   ENDED    leave the view in order
 * any      kill, or a delivery     ENDED    cut the sockets, as if the process had died
 *          is stuck
 * ENDED    anything                ENDED    nothing; sends are refused
 * </pre>
 *
 * <p>The stack and its time-outs are in {@link ChannelStack}: on one machine the first node starts
 * in well under a second. A crashed process leaves the view about as fast, a hung or silent one
 * after about 3 s.
 */
public final class JGroupsMembership implements Membership {
  private enum Phase {
    NEW,
    JOINING,
    JOINED,
    ENDED
  }

  private final NodeSettings settings;
  private final PortSecurity security;
  private final Address address = UUID.randomUUID();
  private final NodeId self = NodeAddress.nodeId(address);
  private final Deliveries deliveries;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.NEW);
  private volatile Set<NodeId> members = Set.of();
  private volatile @Nullable Predicate<NodeId> lost;
  private volatile @Nullable ChannelStack stack;
  private volatile @Nullable JChannel channel;

  /**
   * Draws an identity. Opens nothing before {@link #start}.
   *
   * @param security what both sides of a connection prove
   */
  public JGroupsMembership(NodeSettings settings, PortSecurity security) {
    this.settings = settings;
    this.security = security;
    this.deliveries =
        new Deliveries("headrace-membership-" + settings.nodeName(), this::killInBackground);
  }

  @Override
  public NodeId self() {
    return self;
  }

  /**
   * The port on which the membership protocol listens.
   *
   * @throws NodeClosedException before the start and after the end
   */
  public int port() {
    ChannelStack opened = stack;
    if (phase.get() != Phase.JOINED || opened == null) {
      throw notMember();
    }
    return opened.port();
  }

  /**
   * Loses what comes from some nodes and what goes to them, as a cut network does; for tests. To be
   * called before {@link #start}.
   *
   * @param cut whether a node is cut off from this one; for this node itself, whether it is cut off
   *     from all. Called by any thread
   */
  public void loseTraffic(Predicate<NodeId> cut) {
    lost = cut;
  }

  /** Stops to suspect silent nodes, or begins again, for tests that stop a node's threads. */
  public void suspectSilence(boolean suspect) {
    JChannel joined = channel;
    if (phase.get() != Phase.JOINED || joined == null) {
      return;
    }
    FD_ALL3 detection = joined.getProtocolStack().findProtocol(FD_ALL3.class);
    if (suspect) {
      detection.startFailureDetection();
    } else {
      detection.stopFailureDetection();
    }
  }

  @Override
  public void start(MembershipListener listener) {
    if (!phase.compareAndSet(Phase.NEW, Phase.JOINING)) {
      throw new IllegalStateException(
          "A membership can be started once; make a new one to join again");
    }
    try {
      InetAddress bindAddress = BindAddress.of(settings.bindAddress());
      ChannelStack protocols =
          QuietLogs.during(() -> new ChannelStack(settings, bindAddress, security));
      JChannel created = QuietLogs.during(() -> channel(protocols));
      stack = protocols;
      channel = created;
      long deadlineNanos = System.nanoTime() + settings.joinTimeout().toNanos();
      join(protocols, created, deadlineNanos);
      if (!phase.compareAndSet(Phase.JOINING, Phase.JOINED)) {
        throw notMember();
      }
      deliveries.open(listener);
      if (!deliveries.awaitFirstView(deadlineNanos - System.nanoTime())) {
        throw late("the first view was not handled in time", null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      kill();
      throw new HeadraceException(notJoined("the thread was interrupted"), e);
    } catch (RuntimeException e) {
      kill();
      throw e;
    }
  }

  @Override
  public void send(NodeId to, byte[] message) {
    send(to, message, false);
  }

  @Override
  public void sendFirst(NodeId to, byte[] message) {
    send(to, message, true);
  }

  private void send(NodeId to, byte[] message, boolean first) {
    if (message.length > MAX_MESSAGE_BYTES) {
      throw new IllegalArgumentException(
          "A control message of "
              + message.length
              + " bytes exceeds the limit of "
              + MAX_MESSAGE_BYTES);
    }
    JChannel joined = channel;
    if (phase.get() != Phase.JOINED || joined == null) {
      throw notMember();
    }
    if (to.equals(self)) {
      deliveries.message(self, message.clone());
    } else if (members.contains(to)) {
      Message sent = new BytesMessage(NodeAddress.address(to), message);
      send(joined, first ? sent.setFlag(Message.Flag.NO_RELIABILITY) : sent);
    }
  }

  @Override
  public String nameOf(NodeId id) {
    String name = NameCache.get(NodeAddress.address(id));
    return name == null ? id.toString() : name;
  }

  @Override
  public Executor executor() {
    return deliveries;
  }

  @Override
  public void close() {
    if (phase.getAndSet(Phase.ENDED) != Phase.ENDED) {
      deliveries.close();
      JChannel open = channel;
      if (open != null) {
        open.close();
      }
    }
  }

  @Override
  public void kill() {
    Phase before = phase.getAndSet(Phase.ENDED);
    if (before == Phase.ENDED) {
      return;
    }
    ChannelStack protocols = stack;
    JChannel open = channel;
    if (protocols != null && open != null) {
      protocols.cut();
    }
    deliveries.close();
    if (protocols != null && open != null && before == Phase.JOINED) {
      protocols.forgetOthers(open);
      open.close();
    }
  }

  private JChannel channel(ChannelStack protocols) {
    try {
      JChannel created = new JChannel(protocols.protocols());
      created.setName(settings.nodeName());
      created.addAddressGenerator(() -> address);
      created.setReceiver(new ChannelReceiver());
      Predicate<NodeId> cut = lost;
      if (cut != null) {
        ProtocolStack all = created.getProtocolStack();
        all.insertProtocolInStack(
            new CutProtocol(cut), all.getTransport(), ProtocolStack.Position.ABOVE);
      }
      return created;
    } catch (Exception e) { // JGroups declares no narrower type
      throw new HeadraceException(notJoined(e.getMessage()), e);
    }
  }

  /** Connects on a thread of its own, since JGroups has no time limit for connecting. */
  private void join(ChannelStack protocols, JChannel created, long deadlineNanos)
      throws InterruptedException {
    FutureTask<JChannel> joining = new FutureTask<>(() -> connect(created));
    Thread thread = new Thread(joining, "headrace-join-" + settings.nodeName());
    thread.setDaemon(true);
    thread.start();
    try {
      joining.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      String outlook = protocols.outlook();
      throw late(
          "no member admitted it within the joinTimeout of "
              + settings.joinTimeout()
              + (outlook.isEmpty()
                  ? "; check whether the cluster's oldest node hangs or cannot reach this one"
                  : ": " + outlook),
          e);
    } catch (ExecutionException e) {
      throw unableToJoin(e);
    }
  }

  /**
   * If connecting fails or outlasts the time limit, this thread closes the channel: it holds its
   * lock.
   */
  private JChannel connect(JChannel created) throws Exception {
    boolean connected = false;
    try {
      created.connect(settings.clusterName());
      connected = true;
      return created;
    } finally {
      if (!connected || phase.get() == Phase.ENDED) {
        created.close();
      }
    }
  }

  private HeadraceException unableToJoin(ExecutionException failure) {
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        int port = DiscoveryProtocols.membershipPort(settings);
        return new HeadraceException(
            "Port "
                + port
                + " of "
                + settings.bindAddress()
                + " is taken: set membershipPort to another port, or to 0 for a free one",
            failure);
      }
    }
    return new HeadraceException(notJoined(String.valueOf(failure.getCause())), failure);
  }

  private JoinTimeoutException late(String reason, @Nullable Throwable cause) {
    return new JoinTimeoutException(
        notJoined(reason), settings.clusterName(), settings.joinTimeout(), cause);
  }

  private String notJoined(@Nullable String reason) {
    return "Node "
        + settings.nodeName()
        + " did not join cluster "
        + settings.clusterName()
        + ": "
        + reason;
  }

  private NodeClosedException notMember() {
    return new NodeClosedException(
        "Node "
            + settings.nodeName()
            + " is not a member of cluster "
            + settings.clusterName()
            + ": it was not started, or was closed");
  }

  private void send(JChannel joined, Message message) {
    try {
      joined.send(message);
    } catch (Exception e) { // JGroups declares no narrower type
      if (phase.get() == Phase.ENDED) {
        throw notMember();
      }
      throw new HeadraceException("A control message could not be sent: " + e.getMessage(), e);
    }
  }

  /**
   * Uses a thread of its own: the caller may be a JGroups thread, which {@link #kill} waits for.
   */
  private void killInBackground() {
    new Thread(this::kill, "headrace-kill-" + settings.nodeName()).start();
  }

  /** Takes views and messages from JGroups' threads. */
  private final class ChannelReceiver implements Receiver {
    @Override
    public void viewAccepted(View view) {
      if (phase.get() == Phase.ENDED) {
        return;
      }
      List<NodeId> all = view.getMembers().stream().map(NodeAddress::nodeId).toList();
      members = Set.copyOf(all);
      deliveries.view(new MemberView(mark(view.getViewId()), all));
    }

    private long mark(ViewId id) {
      NodeId creator = NodeAddress.nodeId(id.getCreator());
      return Hashing.komihash5_0()
          .hashStream()
          .putLong(creator.high())
          .putLong(creator.low())
          .putLong(id.getId())
          .getAsLong();
    }

    @Override
    public void receive(Message message) {
      byte[] bytes = new byte[message.getLength()];
      System.arraycopy(message.getArray(), message.getOffset(), bytes, 0, bytes.length);
      deliveries.message(NodeAddress.nodeId(message.getSrc()), bytes);
    }
  }
}
