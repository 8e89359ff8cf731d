package dev.headrace.cluster.node;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.RepairReport;
import dev.headrace.api.SplitPolicy;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.cluster.cache.CacheView;
import dev.headrace.cluster.membership.MembershipListener;
import dev.headrace.cluster.wire.ReadReply;
import dev.headrace.cluster.wire.ReadService;
import dev.headrace.cluster.wire.WireListener;
import dev.headrace.rebalance.ledger.LedgerSettings;
import dev.headrace.rebalance.ledger.MemberView;
import dev.headrace.rebalance.ledger.Terms;
import dev.headrace.rebalance.message.Chunk;
import dev.headrace.rebalance.message.FillCancel;
import dev.headrace.rebalance.message.FillOrder;
import dev.headrace.rebalance.message.FillReport;
import dev.headrace.rebalance.message.History;
import dev.headrace.rebalance.message.HistoryRequest;
import dev.headrace.rebalance.message.Learned;
import dev.headrace.rebalance.message.Levelled;
import dev.headrace.rebalance.message.Message;
import dev.headrace.rebalance.message.Operation;
import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.message.Progress;
import dev.headrace.rebalance.message.RepairMessage;
import dev.headrace.rebalance.message.RepairTally;
import dev.headrace.rebalance.message.Replicate;
import dev.headrace.rebalance.message.Replicated;
import dev.headrace.rebalance.message.Settled;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.message.Transport;
import dev.headrace.rebalance.publish.Bulletin;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.repair.RepairSettings;
import dev.headrace.rebalance.repair.Repairs;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.write.LaneHost;
import dev.headrace.rebalance.write.Lanes;
import dev.headrace.rebalance.write.Upkeep;
import dev.headrace.rebalance.write.caller.Caller;
import dev.headrace.rebalance.write.history.LaneSettings;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.pull.StreamEnvironment;
import dev.headrace.stream.pull.StreamPlan;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A whole node but its threads and sockets: what arrives comes in through its methods, what leaves
 * goes through its {@link NodePorts}. The same code runs a cluster and its simulation.
 *
 * <p>Thread-safe. {@link #tick} is called by one thread every few milliseconds.
 */
final class NodeEngine implements WireListener, ReadService, MembershipListener, LaneHost {
  private static final System.Logger LOG = System.getLogger(NodeEngine.class.getName());

  /** The most that lengths, version and expiry add to a stored entry. */
  private static final int ENTRY_NUMBERS_BYTES = 40;

  private static final int TICKS_PER_WISH = 8;
  private static final int UPKEEP_SEGMENTS = 16;

  private final NodeSettings settings;
  private final NodeId self;
  private final NodePorts ports;
  private final ClusterClock clock;
  private final CurrentTable table;
  private final Bulletin bulletin;
  private final Lanes lanes;
  private final ServedReads reads;
  private final Caller caller;
  private final NodeCalls calls;
  private final Upkeep upkeep;
  private final LedgerDriver ledger;
  private final Rebalancing rebalancing;
  private final Repairs repairs;
  private final CompletableFuture<SegmentTable> joined = new CompletableFuture<>();
  private volatile @Nullable String stalledBecause;
  private volatile boolean leaving;
  private int ticksSinceWish;
  private volatile long leaseUntilNanos = Lease.NEVER;
  private final CompletableFuture<String> ended = new CompletableFuture<>();

  /**
   * An engine that has not joined anything yet.
   *
   * @param member this node, as others will know it
   */
  NodeEngine(NodeSettings settings, Member member, NodePorts ports) {
    this(settings, member, ports, NodeTuning.defaults());
  }

  /** The same with what users have no say in. */
  NodeEngine(NodeSettings settings, Member member, NodePorts ports, NodeTuning tuning) {
    this.settings = settings;
    this.self = member.id();
    this.ports = ports;
    this.clock = new ClusterClock(ports.timer()::nanoTime, ports.wallMillis());
    this.table = new CurrentTable(self);
    Transport transport = this::send;
    this.bulletin = new Bulletin(transport);
    boolean leases = settings.splitPolicy() == SplitPolicy.DENY;
    LaneSettings laneSettings =
        LaneSettings.of(self, settings.minOwners())
            .withLeaseWaitNanos(leases ? 2 * LedgerSettings.LEASE_NANOS : 0)
            .withFillBytesInFlight(settings.migrationBytesInFlight());
    this.lanes = new Lanes(laneSettings, this::store, transport, this, this::mayServe);
    this.caller = new Caller(self, transport, bulletin);
    this.calls = new NodeCalls(settings, lanes, caller);
    this.reads = new ServedReads(lanes, table, calls::suspendedBecause);
    this.upkeep = new Upkeep(lanes);
    this.ledger =
        new LedgerDriver(
            LedgerSettings.of(
                    member,
                    new Terms(
                        settings.clusterName(),
                        settings.segments(),
                        settings.owners(),
                        settings.maxEntryBytes(),
                        settings.hashSeed()),
                    settings.splitPolicy())
                .movingSegments()
                .publishingImages(tuning.fullTables()),
            ports,
            clock,
            new Decisions(),
            tuning.probe());
    this.rebalancing = new Rebalancing(self, tuning, ports.control(), this::send, ledger::propose);
    this.repairs =
        new Repairs(
            RepairSettings.of(
                self, settings.repairInterval().toMillis(), settings.repairBytesPerSecond()),
            lanes,
            transport,
            NodeEngine::differed);
  }

  private SegmentStore store(HashSpace space) {
    return new SegmentStore(
        space, clock, new StoreLimits(settings.maxEntryBytes() + ENTRY_NUMBERS_BYTES));
  }

  // ---- What a node offers

  /** Completed with the first table, or exceptionally by a refusal. */
  CompletableFuture<SegmentTable> joined() {
    return joined;
  }

  /**
   * Why this node was not taken in, although it has found others; null if it was or has not. A node
   * that holds nothing starts nevertheless: its cluster can be looked at.
   */
  @Nullable String stalledBecause() {
    return stalledBecause;
  }

  /** Completed with the reason when the node has left, or the cluster has given it up. */
  CompletableFuture<String> ended() {
    return ended;
  }

  /**
   * Opens a cache.
   *
   * @throws CodecException if this node holds some of it, in another format
   */
  <K, V> CacheView<K, V> open(CacheSettings<K, V> cache) {
    if (!lanes.admits(cache.name(), CacheView.format(cache))) {
      throw new CodecException(
          "Cache \"%s\" holds keys or values of another format than %s to %s: open it with the codecs that wrote it"
              .formatted(cache.name(), cache.keyCodec().format(), cache.valueCodec().format()));
    }
    CacheView.Place place =
        new CacheView.Place(
            () -> table.view().segments(),
            clock,
            this::maxEntryBytes,
            calls,
            ports.user(),
            new CacheView.Patience(
                ports.timer()::nanoTime,
                settings.busyPoll().toNanos(),
                settings.operationTimeout().toNanos()));
    return CacheView.open(cache, place, () -> stream(cache));
  }

  private <K, V> CacheStream<K, V> stream(CacheSettings<K, V> cache) {
    calls.checkOpen();
    SegmentTable now = table.view();
    StreamEnvironment environment =
        new StreamEnvironment(
            table,
            calls.guarding(ports.reads()),
            ports.timer(),
            ports.user(),
            new HashSpace(now.segments(), now.hashSeed()),
            now.island(),
            this::nameOf);
    return StreamPlan.over(environment, cache, CacheView.format(cache));
  }

  ClusterStatus status() {
    return Statuses.of(
        settings.clusterName(),
        table.view(),
        self,
        ledger.convener(),
        rebalancing.progress(),
        calls.suspendedBecause());
  }

  /** Has all primaries compare their replicas and repair what differs. */
  CompletionStage<RepairReport> repair(Set<String> caches, Consumer<RepairReport> progress) {
    return repairs
        .order(caches, report -> ports.user().execute(() -> progress.accept(report)))
        .thenApplyAsync(report -> report, ports.user());
  }

  /** Where this node's replicas are written. */
  Lanes lanes() {
    return lanes;
  }

  /** Whether anything was ever written to the cluster, as far as this node knows. */
  boolean holdsData() {
    SegmentTable now = table.orNull();
    return now != null && now.sealed();
  }

  /** The table in force on this node, once it has joined. */
  SegmentTable table() {
    return table.view();
  }

  /** The node that decides on the segment table, or null while that is not known. */
  @Nullable NodeId coordinator() {
    return ledger.convener();
  }

  /** Where a member listens; null if it is none. */
  @Nullable Member member(NodeId id) {
    SegmentTable now = table.orNull();
    return now == null ? null : now.member(id);
  }

  /**
   * The largest sum of encoded key and value that the cluster takes. A node that holds nothing has
   * perhaps been started with another.
   */
  int maxEntryBytes() {
    SegmentTable now = table.orNull();
    return now == null ? settings.maxEntryBytes() : now.header().maxEntryBytes();
  }

  /** Asks to leave in order; {@link #ended} follows. */
  void leave() {
    leaving = true;
    ledger.requestLeave(owesNothing());
  }

  /**
   * Whether nobody needs anything from this node any more. As long as it owns segments somebody
   * will: it must not be taken out of the table together with the last of them.
   */
  private boolean owesNothing() {
    SegmentTable now = table.orNull();
    return now == null || (now.replicas(self) == 0 && !lanes.owes());
  }

  /** Whether this node may answer now for the segments that it owns. */
  boolean mayServe() {
    return Lease.isValid(leaseUntilNanos, ports.timer().nanoTime());
  }

  /** Ends everything that waits. */
  void close() {
    calls.close();
    repairs.close(new NodeClosedException("The node was closed before the repair was complete"));
    table.close();
  }

  /** What is under way on this node, for people; empty if everything is at rest. */
  String underWay() {
    StringBuilder text = new StringBuilder();
    if (!lanes.unsettled().isEmpty()) {
      text.append("lanes ").append(lanes.unsettled());
    }
    if (rebalancing.underWay() > 0) {
      text.append(" migrations ").append(rebalancing.underWay());
    }
    if (!mayServe()) {
      text.append(" waits for a lease");
    }
    return text.toString();
  }

  /** What goes on here, for people; to be asked on the control executor. */
  String describe() {
    return "lanes %s, filling %s, %s".formatted(lanes.unsettled(), lanes.filling(), rebalancing);
  }

  /** Time goes on. */
  void tick(long nowNanos) {
    ledger.tick();
    lanes.tick(nowNanos);
    bulletin.tick(nowNanos);
    if (leaving && ++ticksSinceWish % TICKS_PER_WISH == 0) {
      ledger.requestLeave(owesNothing());
    }
    caller.tick(nowNanos);
    upkeep.expire(UPKEEP_SEGMENTS);
    upkeep.maintain(UPKEEP_SEGMENTS);
    repairs.tick(nowNanos, clock.getAsLong(), !rebalancing.progress().finished());
  }

  private String nameOf(NodeId id) {
    SegmentTable now = table.orNull();
    Member member = now == null ? null : now.member(id);
    return now == null || member == null ? id.toString() : Statuses.name(member, now);
  }

  // ---- What arrives

  @Override
  public void viewChanged(MemberView view) {
    ledger.viewChanged(view);
  }

  @Override
  public void received(NodeId from, byte[] message) {
    ledger.received(from, message);
  }

  @Override
  public void onMessage(NodeId from, Message message) {
    if (message instanceof Operation operation) {
      if (mustWait(from, operation)) {
        send(from, notNow(operation));
      } else {
        lanes.operation(from, operation);
      }
    } else if (message instanceof OperationReply reply) {
      caller.replied(from, reply);
    } else if (message instanceof Replicate replicate) {
      lanes.replicate(from, replicate);
    } else if (message instanceof Replicated replicated) {
      lanes.replicated(from, replicated);
    } else if (message instanceof Settled settled) {
      lanes.settled(from, settled);
    } else if (message instanceof HistoryRequest request) {
      lanes.historyRequest(from, request);
    } else if (message instanceof History history) {
      lanes.history(from, history);
    } else if (message instanceof TableNotice notice) {
      noticed(from, notice);
    } else {
      onMigration(from, message);
    }
  }

  /** The older side takes what it lacks, or asks for it; the newer side sends it. */
  private void noticed(NodeId from, TableNotice notice) {
    SegmentTable now = table.orNull();
    if (now != null && notice.epoch() < now.epoch()) {
      bulletin.outdated(from, notice.epoch());
    } else if (now != null && notice.epoch() > now.epoch()) {
      ledger.noticed(notice, () -> bulletin.behind(from));
    }
  }

  /**
   * Whether this node must not serve an operation now: its part of the cluster may be outdated, or
   * the caller does not keep up with the values that it gets. The caller asks again, or another.
   */
  private boolean mustWait(NodeId from, Operation operation) {
    boolean read = operation.kind() == Operation.Kind.GET;
    return calls.suspendedBecause() != null || (read && ports.congested().test(from));
  }

  private OperationReply notNow(Operation operation) {
    SegmentTable now = table.orNull();
    return OperationReply.without(
        operation.id().sequence(), OperationReply.Outcome.STALE, now == null ? -1 : now.epoch());
  }

  private void onMigration(NodeId from, Message message) {
    if (message instanceof Chunk chunk) {
      lanes.chunk(from, chunk);
    } else if (message instanceof Learned learned) {
      lanes.learned(from, learned);
    } else if (message instanceof Levelled levelled) {
      lanes.levelled(from, levelled);
    } else if (message instanceof FillOrder order) {
      lanes.fillOrder(from, order);
    } else if (message instanceof FillCancel cancel) {
      lanes.fillCancel(cancel);
    } else if (message instanceof FillReport report) {
      rebalancing.reported(report);
    } else if (message instanceof Progress progress) {
      rebalancing.told(from, progress);
    } else if (message instanceof RepairMessage repair) {
      repairs.received(from, repair);
    }
  }

  @Override
  public void onDisconnected(NodeId node) {
    lanes.disconnected(node);
    caller.disconnected(node);
  }

  @Override
  public void read(ReadRequest request, ReadReply reply) {
    reads.read(request, reply);
  }

  // ---- What leaves

  private void send(NodeId to, Message message) {
    if (to.equals(self)) {
      onMessage(self, message);
    } else {
      ports.transport().send(to, message);
    }
  }

  @Override
  public void requestSeal() {
    ledger.requestSeal();
  }

  @Override
  public void lost(int segment, long segmentEpoch) {
    LOG.log(
        System.Logger.Level.WARNING,
        "All owners of segment "
            + segment
            + " were lost while it changed hands, and with them writes that had been acknowledged;"
            + " it begins anew, empty");
    ledger.lost(segment, segmentEpoch);
  }

  @Override
  public void damaged(String cache, int segment, String reason) {
    LOG.log(
        System.Logger.Level.WARNING,
        "Segment " + segment + " of cache \"" + cache + "\" no longer serves here: " + reason);
  }

  @Override
  public void outdated(NodeId node, long itsEpoch) {
    bulletin.outdated(node, itsEpoch);
  }

  @Override
  public void behind(NodeId node) {
    bulletin.behind(node);
  }

  @Override
  public void accompany(NodeId node) {
    bulletin.accompany(node);
  }

  /**
   * The node that decides tells everybody by the short way, too: the membership's connections lose
   * nothing, but a message passes more threads there.
   */
  private void tellAll(SegmentTable newer, @Nullable String loss) {
    for (Member member : newer.members()) {
      if (!member.id().equals(self)) {
        bulletin.accompany(member.id());
      }
    }
    if (loss != null) {
      LOG.log(System.Logger.Level.WARNING, loss);
    }
  }

  private static void differed(String cache, int segment, RepairTally tally) {
    LOG.log(
        System.Logger.Level.WARNING,
        "Backups had segment %d of cache \"%s\" otherwise than their primary, this node: %d ranges differed, %d entries were repaired, %d of which had a higher version"
            .formatted(segment, cache, tally.differences(), tally.repaired(), tally.newer()));
  }

  private void forgetLeavers(SegmentTable before, SegmentTable newer) {
    for (Member member : before.members()) {
      if (newer.member(member.id()) == null) {
        ports.forget().accept(member.id());
      }
    }
  }

  /** What the ledger decided. */
  private final class Decisions implements LedgerDriver.Listener {
    @Override
    public void installed(SegmentTable newer, @Nullable TableDelta delta) {
      SegmentTable before = table.orNull();
      bulletin.installed(newer, delta);
      if (self.equals(ledger.convener())) {
        tellAll(newer, Losses.describe(before, newer, delta));
      }
      if (delta == null) {
        lanes.tableChanged(newer);
      } else {
        lanes.tableChanged(newer, delta.changedSegments());
      }
      table.install(newer);
      caller.tableChanged(newer);
      rebalancing.installed(newer, delta);
      if (before != null) {
        forgetLeavers(before, newer);
      }
      joined.complete(newer);
    }

    @Override
    public void ticked(long nowNanos) {
      rebalancing.tick(nowNanos);
    }

    @Override
    public void leased(long untilNanos) {
      leaseUntilNanos = untilNanos;
    }

    @Override
    public void leading(boolean leads) {
      rebalancing.leading(leads);
    }

    @Override
    public void leaving(Set<NodeId> nodes) {
      rebalancing.leaving(nodes);
    }

    @Override
    public void refused(String reason) {
      joined.completeExceptionally(new JoinRefusedException(reason));
      ended.complete(reason);
    }

    @Override
    public void left() {
      ended.complete("The node has left the cluster");
    }

    @Override
    public void suspended(@Nullable String reason) {
      calls.suspended(reason);
    }

    @Override
    public void stalled(SegmentTable inForce, String reason) {
      stalledBecause = reason;
      table.show(inForce);
      if (settings.capacity() == 0) {
        joined.complete(inForce);
      }
    }
  }
}
