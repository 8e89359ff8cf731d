package dev.headrace.cluster.node;

import dev.headrace.api.CacheReport;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.RepairReport;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.agreement.Admission;
import dev.headrace.cluster.agreement.AgreementDriver;
import dev.headrace.cluster.agreement.ClusterClock;
import dev.headrace.cluster.agreement.GivingUp;
import dev.headrace.cluster.agreement.LeaveRequest;
import dev.headrace.cluster.agreement.NodeProbe;
import dev.headrace.cluster.agreement.OwnerMessages;
import dev.headrace.cluster.agreement.Readiness;
import dev.headrace.cluster.agreement.Rebalancing;
import dev.headrace.cluster.agreement.TableNews;
import dev.headrace.cluster.call.CacheOpening;
import dev.headrace.cluster.call.CallObserver;
import dev.headrace.cluster.call.ChangeCalls;
import dev.headrace.cluster.call.NodeCalls;
import dev.headrace.cluster.catalogue.CacheInventory;
import dev.headrace.cluster.catalogue.CacheRemoval;
import dev.headrace.cluster.detection.Endings;
import dev.headrace.cluster.detection.Reach;
import dev.headrace.cluster.detection.StaleConnections;
import dev.headrace.cluster.ingest.IngestTotals;
import dev.headrace.cluster.membership.MembershipListener;
import dev.headrace.cluster.message.MessageGroup;
import dev.headrace.cluster.message.Probe;
import dev.headrace.cluster.message.UsageNotice;
import dev.headrace.cluster.read.LocalReads;
import dev.headrace.cluster.read.ReadReply;
import dev.headrace.cluster.read.ReadService;
import dev.headrace.cluster.service.Foreground;
import dev.headrace.cluster.service.NodeLaneHost;
import dev.headrace.cluster.service.Outgoing;
import dev.headrace.cluster.service.RoleChanger;
import dev.headrace.cluster.service.ServedOperations;
import dev.headrace.cluster.service.ServedProcessors;
import dev.headrace.cluster.service.ServedReads;
import dev.headrace.cluster.status.ClusterEvents;
import dev.headrace.cluster.status.CurrentTable;
import dev.headrace.cluster.status.LossWarning;
import dev.headrace.cluster.status.OperatorWarnings;
import dev.headrace.cluster.status.Statuses;
import dev.headrace.cluster.status.Usages;
import dev.headrace.cluster.wire.WireListener;
import dev.headrace.rebalance.agreement.AgreementSettings;
import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.rebalance.agreement.TableAgreement;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.publish.TableGossip;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.replication.client.OperationClient;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.lane.Upkeep;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.ChangesReply;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.repair.Repairs;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.change.ChangeReaders;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.protocol.StreamMemory;
import dev.headrace.stream.pull.StreamObserver;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.SegmentStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A whole node without threads and sockets. What arrives comes in through its methods; what leaves
 * goes through its {@link NodePorts}. Clusters and simulations run the same code.
 *
 * <p>Thread-safe. {@link #tick} is called by one thread, which waits as long as it has said.
 */
final class NodeEngine implements WireListener, ReadService, MembershipListener {
  private static final int UPKEEP_SEGMENTS = 16;

  private final NodeSettings settings;
  private final NodeId self;
  private final NodePorts ports;
  private final ClusterClock clock;
  private final MemoryBudget memory;
  private final Foreground foreground;
  private final CurrentTable table;
  private final TableGossip gossip;
  private final Lanes lanes;
  private final ServedReads reads;
  private final OperationClient caller;
  private final NodeCalls calls;
  private final Upkeep upkeep;
  private final AgreementDriver agreement;
  private final Rebalancing rebalancing;
  private final Repairs repairs;
  private final TableNews news;
  private final ServedOperations operations;
  private final ChangeCalls changeCalls;
  private final OwnerMessages ownerMessages;
  private final CacheOpening.Ground ground;
  private final CacheOpening opening;
  private final Admission admission;
  private final Readiness readiness;
  private final LeaveRequest leave;
  private final GivingUp givingUp;
  private final StaleConnections connections;
  private final Reach reach;
  private final Endings endings;
  private final Usages usages;
  private final CacheInventory caches;
  private final ClusterEvents events;
  private final List<TableListener> tableListeners;
  private final TickPace pace; // used by the thread that ticks

  /**
   * An engine that has not joined yet.
   *
   * @param member this node as other nodes will know it
   * @param tuning settings that users do not have
   */
  NodeEngine(NodeSettings settings, Member member, NodePorts ports, NodeTuning tuning) {
    this.settings = settings;
    this.self = member.id();
    this.ports = ports;
    this.clock = new ClusterClock(ports.timer()::nanoTime, ports.wallMillis());
    this.table = new CurrentTable(self);
    Outgoing outgoing = new Outgoing(self, ports.transport(), this::onMessage, this::together);
    this.memory = new MemoryBudget(settings.memoryBytes());
    this.foreground = new Foreground(ports.timer().nanoTime());
    this.gossip = new TableGossip(outgoing);
    this.admission = new Admission(settings.capacity() > 0);
    this.readiness = new Readiness(clock, admission);
    Placement placement = MachineSettings.placement(settings, member);
    this.agreement = agreement(member, placement, tuning);
    ServedReads.Functions functions =
        ServedReads.Functions.of(settings, ports.timer()::nanoTime, ports.functions());
    ServedProcessors processors = new ServedProcessors(functions, clock);
    this.lanes =
        new Lanes(
            tuning.lanes().apply(MachineSettings.ofLanes(settings, self)),
            memory,
            this::store,
            outgoing,
            ports.reads(),
            new NodeLaneHost(agreement, gossip, foreground, table, ports.changes(), processors),
            this::mayServe);
    this.caller = new OperationClient(self, outgoing, gossip);
    this.calls =
        new NodeCalls(settings, lanes, caller, this::missingNodes, ports.timer()::nanoTime);
    this.reads = new ServedReads(self, lanes, calls::suspendedBecause, foreground, functions);
    this.operations =
        new ServedOperations(
            table, outgoing, calls::suspendedBecause, ports.congested(), foreground);
    this.changeCalls = new ChangeCalls(outgoing, ports.timer());
    this.ground = newGround();
    this.opening = new CacheOpening(settings, ground);
    this.upkeep = new Upkeep(lanes);
    this.events = new ClusterEvents(settings.nodeName(), ports.user(), ports.timer()::nanoTime);
    this.rebalancing = rebalancing(outgoing, tuning, placement);
    this.repairs =
        new Repairs(
            MachineSettings.ofRepairs(settings, self), lanes, outgoing, OperatorWarnings::differed);
    this.news = new TableNews(table, gossip, agreement);
    this.leave = new LeaveRequest(table, lanes, agreement);
    this.givingUp = new GivingUp(table, agreement);
    this.connections = new StaleConnections(ports.forget());
    this.reach = reach(outgoing);
    this.endings = endings();
    this.usages = new Usages(self, outgoing, this::usage, ports.timer().nanoTime());
    long patienceNanos = settings.operationTimeout().toNanos();
    this.caches =
        new CacheInventory(self, lanes, outgoing, table::orNull, patienceNanos, ports.lanes());
    this.ownerMessages = new OwnerMessages(rebalancing, repairs);
    this.tableListeners = tableListeners(tuning.probe());
    // Something may happen before the first tick, and needs the time.
    this.pace = new TickPace(ports.timer().nanoTime());
    tick(ports.timer().nanoTime());
  }

  private CacheOpening.Ground newGround() {
    return new CacheOpening.Ground(
        table,
        clock,
        calls,
        new LocalReads(self, reads, ports.buffers(), ports.reads()),
        changeCalls,
        new ChangeReaders(ports.timer()::nanoTime),
        ports.timer(),
        ports.user(),
        ports.random(),
        new StreamMemory(settings.streamMemoryBytes()),
        new IngestTotals());
  }

  /** The listeners for new tables on this node, in order. */
  private List<TableListener> tableListeners(NodeProbe probe) {
    LossWarning losses = new LossWarning(() -> self.equals(agreement.coordinator()));
    RoleChanger roles = new RoleChanger(lanes, ports.lanes());
    return List.of(
        // Other nodes wait for the table: the later listeners send messages that they can handle
        // only when they have it.
        gossip,
        news,
        losses,
        events,
        // Lanes get the table before anything on this node acts on it: streams that have waited for
        // it, and operations that are sent again, may come to this node's own lanes.
        lanes,
        table,
        reach,
        endings,
        usages,
        caller,
        // Copies are ordered from lanes that know their owners.
        probe,
        rebalancing,
        // These only begin long work, or end what the listeners above no longer use.
        roles,
        connections);
  }

  private Rebalancing rebalancing(Outgoing outgoing, NodeTuning tuning, Placement placement) {
    return new Rebalancing(
        self,
        tuning.rebalancer().withPlacement(placement),
        tuning.probe(),
        ports.control(),
        // Copies that the coordinator orders from its own node must not hold up the agreement.
        (to, order) -> outgoing.send(to, order, ports.lanes()),
        agreement::propose,
        events::rebalanced);
  }

  private Reach reach(Outgoing outgoing) {
    int connections = settings.operationLoops();
    return new Reach(self, outgoing, agreement::unreachable, connections, ports.timer().nanoTime());
  }

  private Endings endings() {
    boolean whenEnded = settings.lostSegments().whenEnded();
    return new Endings(whenEnded, ports.door(), agreement::ended, ports.timer().nanoTime());
  }

  private AgreementDriver agreement(Member member, Placement placement, NodeTuning tuning) {
    AgreementSettings agreed = MachineSettings.ofAgreement(settings, member, tuning);
    return new AgreementDriver(
        ports.membership(),
        ports.control(),
        ports.timer()::nanoTime,
        clock,
        new Decisions(),
        tuning.probe(),
        effects -> new TableAgreement(agreed, placement, ports.random(), effects));
  }

  private SegmentStore store(HashSpace space) {
    return new SegmentStore(space, clock, MachineSettings.ofStore(settings), memory);
  }

  // ---- What a node offers

  /** Tells what happens in the cluster. */
  ClusterEvents events() {
    return events;
  }

  /** Opens caches of this node. */
  CacheOpening opening() {
    return opening;
  }

  /** The parts that caches use while this is the node's life. */
  CacheOpening.Ground ground() {
    return ground;
  }

  /**
   * How this node joins its cluster and leaves it. A node that holds nothing starts even if the
   * cluster does not admit it, and can look at the cluster.
   */
  Admission admission() {
    return admission;
  }

  ClusterStatus status() {
    return Statuses.of(
        settings.clusterName(),
        table.view(),
        lanes,
        usages,
        self,
        agreement.coordinator(),
        rebalancing.progress(),
        rebalancing.moves(),
        calls.suspendedBecause(),
        ground.streamMemory().usage(),
        Duration.ofNanos(clock.errorNanos()),
        settings.security().mode());
  }

  /** Tells these of the calls and streams of this node from now on; null for nobody. */
  void observe(@Nullable CallObserver ofCalls, @Nullable StreamObserver ofStreams) {
    calls.observe(ofCalls, ofStreams);
  }

  NodeView nodeView() {
    boolean serves =
        calls.suspendedBecause() == null
            && (settings.capacity() == 0 ? table.orNull() != null : mayServe());
    return new NodeView(table.view(), self, serves, readiness.leaseNanos(ports.timer().nanoTime()));
  }

  /** The data nodes of the newest table that are not in this node's view, by their names. */
  List<String> missingNodes() {
    return table.membersMissingIn(admission.seen());
  }

  private UsageNotice usage() {
    return Usages.notice(ground.streamMemory().usage(), ports.buffers().usedBytes(), lanes);
  }

  /** Asks all data nodes for the sizes of their caches. */
  CompletableFuture<CacheReport> caches() {
    String reason = calls.suspendedBecause();
    return reason == null
        ? caches.count(ports.timer().nanoTime()).thenApplyAsync(report -> report, ports.user())
        : CompletableFuture.failedFuture(
            new UnavailableException(reason, FaultScope.ofMissing(missingNodes())));
  }

  /** Makes all nodes forget caches that were emptied. */
  CacheRemoval removal() {
    return caches.removal();
  }

  /** Makes all primaries compare their replicas and repair differences. */
  CompletableFuture<RepairReport> repair(Set<String> caches, Consumer<RepairReport> progress) {
    return repairs
        .order(caches, report -> ports.user().execute(() -> progress.accept(report)))
        .thenApplyAsync(report -> report, ports.user())
        .toCompletableFuture();
  }

  /** Gives up the content of segments that wait for absent nodes. */
  CompletableFuture<Set<Integer>> giveUp(Set<Integer> segments) {
    return givingUp
        .begin(segments, ports.timer().nanoTime())
        .thenApplyAsync(begun -> begun, ports.user());
  }

  /** The lanes, which write this node's replicas. */
  Lanes lanes() {
    return lanes;
  }

  /** Whether anything was ever written to the cluster, as far as this node knows. */
  boolean holdsData() {
    SegmentTable now = table.orNull();
    return now != null && now.written();
  }

  /** The table in force on this node, once it has joined. */
  SegmentTable table() {
    return table.view();
  }

  /** The coordinator, or null while it is not known. */
  @Nullable NodeId coordinator() {
    return agreement.coordinator();
  }

  /**
   * The addresses of a member, or of a recent one that may still send requests; null if not known.
   */
  @Nullable Member member(NodeId id) {
    Member member = table.member(id);
    return member == null ? reach.former(id) : member;
  }

  /** Asks to leave in order. {@link Admission#ended} follows. */
  void leave() {
    leave.begin();
  }

  /** The number of segments that this node owns. */
  int replicas() {
    SegmentTable now = table.orNull();
    return now == null ? 0 : now.replicas(self);
  }

  /** The present rebalance, or the last one, as far as this node has heard. */
  RebalanceProgress progress() {
    return rebalancing.progress();
  }

  /** Whether this node may answer now for the segments that it owns. */
  boolean mayServe() {
    return readiness.mayServe(ports.timer().nanoTime());
  }

  /** Fails everything that waits. */
  void close() {
    calls.close();
    events.close();
    givingUp.close();
    caches.close();
    repairs.close(new NodeClosedException("The node was closed before the repair was complete"));
    table.close();
    changeCalls.close();
  }

  /** Like {@link #close}, but the node continues in another life. */
  void retire(String reason) {
    calls.retire(reason);
    events.retire(reason, missingNodes());
    caches.retire(reason);
    repairs.close(new UnavailableException(reason + ": repair again when it has joined"));
    table.retire();
    changeCalls.close();
  }

  /** What this node is doing, for diagnosis. */
  Diagnosis diagnosis() {
    return new Diagnosis(lanes, rebalancing, mayServe());
  }

  /** Time has passed. Returns the nanoseconds until the next call is due. */
  long tick(long nowNanos) {
    int segments = UPKEEP_SEGMENTS * pace.begin(nowNanos);
    foreground.tick(nowNanos);
    lanes.tick(nowNanos);
    caller.tick(nowNanos);
    changeCalls.tick(nowNanos);
    boolean moving = !rebalancing.progress().finished();
    if (pace.isTurnOfAll(moving)) {
      agreement.tick();
      gossip.tick(nowNanos);
      leave.tick(nowNanos);
      givingUp.tick(nowNanos);
      reach.tick(nowNanos);
      endings.tick(nowNanos);
      usages.tick(nowNanos);
      caches.tick(nowNanos);
    }
    boolean more = readiness.isInUse() && upkeep.expire(segments) > 0;
    more |= upkeep.maintain(segments);
    repairs.tick(nowNanos, clock.getAsLong(), moving);
    return TickPace.nextNanos(moving || more || caller.outstanding() > 0 || !repairs.isIdle());
  }

  // ---- What arrives

  @Override
  public void viewChanged(MemberView view) {
    connections.viewChanged(view);
    admission.sees(view.members());
    agreement.viewChanged(view);
  }

  @Override
  public void received(NodeId from, byte[] message) {
    admission.hears(from);
    agreement.received(from, message);
  }

  @Override
  public void onMessage(NodeId from, Message message) {
    if (message instanceof Operation operation) {
      if (operations.admits(from, operation)) {
        lanes.receive(from, operation);
      }
    } else if (message instanceof MessageGroup group) {
      together(from, group.messages());
    } else if (message instanceof OperationReply reply) {
      caller.replied(from, reply);
    } else if (message instanceof BulkRead read) {
      if (operations.admits(from, read)) {
        lanes.receive(from, read);
      }
    } else if (message instanceof BulkReadReply reply) {
      caller.replied(from, reply);
    } else if (message instanceof ChangesReply reply) {
      changeCalls.replied(from, reply);
    } else if (message instanceof TableNotice notice) {
      news.noticed(from, notice);
    } else if (message instanceof UsageNotice notice) {
      usages.heard(from, notice);
    } else if (message instanceof Probe probe) {
      reach.received(from, probe, ports.timer().nanoTime());
    } else if (!caches.receive(from, message) && !lanes.receive(from, message)) {
      ownerMessages.received(from, message);
    }
  }

  private void together(NodeId from, List<? extends Message> messages) {
    if (operations.admitsGroups()) {
      lanes.receive(from, messages, message -> onMessage(from, message));
    } else {
      messages.forEach(message -> onMessage(from, message));
    }
  }

  @Override
  public void onProgress(NodeId from, int share) {
    reach.heard(from, share, ports.timer().nanoTime());
  }

  @Override
  public void onHungUp(NodeId node) {
    endings.hungUp(member(node), ports.timer().nanoTime());
  }

  @Override
  public void onDisconnected(NodeId node) {
    changeCalls.disconnected(node);
    lanes.disconnected(node);
    caller.disconnected(node);
  }

  @Override
  public void read(ReadRequest request, ReadReply reply) {
    reads.read(request, reply);
  }

  // ---- Decisions

  /** Carries out what the agreement decides. */
  private final class Decisions implements AgreementDriver.Listener {
    @Override
    public void onTable(TableDelta delta, SegmentTable newImage) {
      tableListeners.forEach(listener -> listener.onTable(delta, newImage));
    }

    @Override
    public void ticked(long nowNanos) {
      readiness.tick(table.orNull(), ports.timer().nanoTime());
      rebalancing.tick(nowNanos);
    }

    @Override
    public void leased(long untilNanos) {
      readiness.leased(untilNanos);
    }

    @Override
    public void coordinating(boolean coordinates) {
      rebalancing.coordinating(coordinates);
    }

    @Override
    public void leaving(Set<NodeId> nodes) {
      rebalancing.leaving(nodes);
    }

    @Override
    public void refused(String reason) {
      admission.refused(reason);
    }

    @Override
    public void left() {
      admission.left();
    }

    @Override
    public void suspended(@Nullable String reason) {
      calls.suspended(reason);
      events.suspended(reason, missingNodes());
    }

    @Override
    public void stalled(SegmentTable inForce, String reason) {
      table.show(inForce);
      admission.stalled(inForce, reason);
    }
  }
}
