package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.replication.copy.RunningCopies;
import dev.headrace.replication.copy.RunningCopy;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.RangeRequest;
import dev.headrace.replication.log.ResultMemory;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.MemoryNotice;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.RepairMessage;
import dev.headrace.replication.message.ResultsReceived;
import dev.headrace.replication.message.SegmentMessage;
import dev.headrace.replication.role.FormerOwners;
import dev.headrace.replication.role.LaneContext;
import dev.headrace.replication.role.LeaseView;
import dev.headrace.replication.role.MemoryGate;
import dev.headrace.replication.role.Primary;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.SegmentStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All lanes of a node, and the stores under them.
 *
 * <p>Thread-safe. An event runs its lane under the lane's monitor; what the lane wants sent leaves
 * when the monitor is free, so that two threads may send a lane's messages in another order than
 * they were made: receivers go by their numbers. Reads need no monitor.
 */
public final class Lanes implements TableListener {

  /** A node that knows so many caches lets no caller open another one. */
  public static final int MAX_CACHES = 4096;

  /** A node that knows so many caches takes none from other owners any more. */
  static final int MAX_CACHES_OF_OWNERS = 2 * MAX_CACHES;

  /** How often callers are looked for that are no members, and forgotten if they were none then. */
  static final long STRANGERS_NANOS = 60_000_000_000L;

  /** Each lane gets a tick after so many of the node's at most. */
  private static final int MAX_TICKS_BETWEEN = 40;

  /** So many lanes get a tick at once, or more if there are very many. */
  private static final int LANES_PER_TICK = 32;

  private final LaneContext around;
  private final Caches caches;
  private final CopyScheduler copyScheduler;
  private final Transport transport;
  private final LaneHost host;
  private final Reads reads;
  private final TickQueue ticks = new TickQueue();
  private final RangeReads ranges;
  private final RoleChanges roleChanges;
  private final AtomicBoolean firstWriteRequested = new AtomicBoolean();
  private volatile long nowNanos;

  /** Whether lanes may keep results for callers that have left. */
  private volatile boolean membersChanged;

  /** When callers that are no members were looked for last; null before the first tick. */
  private @Nullable Long strangersNanos; // of the thread that ticks

  /** Something that happens to a lane. */
  interface Event {
    void run(Lane lane, Effects effects);
  }

  /**
   * @param memory what the stores may take together
   * @param stores makes the store of a cache
   * @param transport takes messages to this node too
   * @param reads reads ranges of other nodes' replicas
   * @param lease this node's right to answer
   */
  public Lanes(
      LaneSettings settings,
      MemoryBudget memory,
      Function<HashSpace, SegmentStore> stores,
      Transport transport,
      ReadPort reads,
      LaneHost host,
      LeaseView lease) {
    this.around =
        new LaneContext(
            settings,
            lease,
            new RunningCopies(),
            new FormerOwners(),
            new ResultMemory(settings.maxResultBytes()),
            new MemoryGate(memory),
            this::recovered);
    this.caches = new Caches(around, stores, ticks::add);
    this.ranges = new RangeReads(this, settings.rangeBytes(), reads);
    this.roleChanges = new RoleChanges(caches, this);
    this.copyScheduler = new CopyScheduler(around, caches, this, transport, host);
    this.transport = transport;
    this.host = host;
    this.reads = new Reads(caches, lease, transport, host);
  }

  private boolean recovered(int segment, long segmentEpoch) {
    return caches.recovered(segment, segmentEpoch);
  }

  // ---- Tables and stores

  /**
   * The node has a newer table; an older one is ignored. Lanes go by it as soon as they have
   * something to do; {@link #changeRoles} tells the others. The cost is in proportion to the delta,
   * unless it is one from nothing.
   */
  @Override
  public void onTable(TableDelta delta, SegmentTable newImage) {
    tableChanged(newImage, delta.isFromNothing() ? null : delta.changedSegments());
  }

  /**
   * As {@link #onTable}.
   *
   * @param changed the segments whose owners have changed since the last table; null if it is not
   *     known what was in between
   */
  void tableChanged(SegmentTable table, int @Nullable [] changed) {
    LocalReplicas before = caches.local();
    int[] moved = caches.tableChanged(table, changed);
    LocalReplicas now = caches.local();
    if (moved == null || now == null) {
      return;
    }
    if (before != null && !now.table().sharesMembers(before.table())) {
      membersChanged = true;
    }
    for (int segment : moved) {
      copyScheduler.ownersChanged(segment, now.table());
    }
    roleChanges.add(moved);
  }

  /**
   * Tells lanes that their owners have changed; to be called after each new table, again and again
   * as long as more are left. Other tables may come in between.
   *
   * @return whether more are left
   */
  public boolean changeRoles(int maxSegments) {
    return roleChanges.tell(maxSegments);
  }

  /**
   * Whether this node keeps anything that new primaries may still need from it: it should not stop
   * before it does not, although it may own nothing any more. Looks at all lanes.
   */
  public boolean owes() {
    if (roleChanges.pending()) {
      return true;
    }
    for (CacheSegments cache : caches.all()) {
      for (Lane lane : cache.lanes()) {
        synchronized (lane) {
          if (lane.owes()) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /**
   * The lanes that wait for somebody or keep something for others, as {@code cache/segment}; none
   * if all is at rest.
   */
  public List<String> unsettled() {
    List<String> unsettled = new ArrayList<>();
    for (Lane lane : ticks) {
      synchronized (lane) {
        if (lane.unsettled()) {
          unsettled.add(lane.cache().name() + "/" + lane.segment());
        }
      }
    }
    return unsettled;
  }

  /** What this node copies as a source, for people. */
  public List<String> copying() {
    return around.runningCopies().all().stream().map(RunningCopy::toString).toList();
  }

  /** Whether this node may answer for what it owns; to be asked after what is answered was read. */
  public boolean leaseValid() {
    return around.lease().valid();
  }

  /** The node's present table, or null before the first. */
  public @Nullable SegmentTable table() {
    LocalReplicas now = caches.local();
    return now == null ? null : now.table();
  }

  /**
   * The store of a cache, which is made if it is not there: whatever this node owns in it can be
   * read. Beyond {@link #MAX_CACHES} it is one to read from once, and as empty as the cache.
   *
   * @throws IllegalStateException before the first table
   */
  public SegmentStore store(String cache) {
    CacheSegments admitted = caches.admit(cache);
    return (admitted == null ? caches.transientCache(cache) : admitted).store();
  }

  /** The names of the caches that this node has had to do with. */
  public Set<String> cacheNames() {
    return caches.all().stream().map(CacheSegments::name).collect(Collectors.toSet());
  }

  /** Whether keys and values of a format may be read from a cache; 0 for any. */
  public boolean admits(String cache, int format) {
    CacheSegments present = caches.find(cache);
    return present == null || present.cache().admits(format);
  }

  Collection<CacheSegments> caches() {
    return caches.all();
  }

  // ---- Messages

  /**
   * A message has come from a caller or another owner, perhaps this node itself.
   *
   * @return false if it is for somebody else, so that nothing has happened
   * @throws RuntimeException if it makes no sense; it has had no effect then
   */
  public boolean receive(NodeId from, Message message) {
    if (message instanceof Operation operation) {
      operation(from, operation);
    } else if (message instanceof RepairMessage) {
      return false;
    } else if (message instanceof SegmentMessage ofSegment) {
      drive(
          ofSegment.cache(),
          ofSegment.segment(),
          (lane, effects) -> lane.receive(from, ofSegment, effects));
      if (message instanceof Learned) {
        copyScheduler.progressed(ofSegment.segment());
      }
    } else if (message instanceof BulkRead read) {
      reads.bulkRead(from, read);
    } else if (message instanceof ResultsReceived received) {
      resultsReceived(from, received);
    } else if (message instanceof CopyOrder order) {
      copyScheduler.order(from, order);
    } else if (message instanceof CopyCancel cancel) {
      copyScheduler.cancel(cancel);
    } else if (message instanceof MemoryNotice notice) {
      around.memory().heard(from, notice);
    } else {
      return false;
    }
    return true;
  }

  private void operation(NodeId from, Operation operation) {
    LocalReplicas now = caches.local();
    if (now == null) {
      transport.send(from, OperationReply.refused(operation.id(), Outcome.STALE, -1));
      return;
    }
    Objects.checkIndex(operation.segment(), now.table().segments());
    if (operation.kind() == Operation.Kind.GET) {
      transport.send(from, reads.read(from, operation, now));
      return;
    }
    if (!from.equals(operation.id().caller())) {
      throw new IllegalArgumentException(
          from + " sent an operation in the name of " + operation.id().caller());
    }
    CacheSegments cache = caches.admit(operation.cache());
    if (cache == null) {
      boolean decides = now.table().isPrimary(operation.segment(), around.settings().self());
      Outcome outcome = decides ? Outcome.TOO_MANY_CACHES : Outcome.STALE;
      transport.send(from, OperationReply.refused(operation.id(), outcome, now.table().epoch()));
      return;
    }
    checkKey(operation, cache.store().space());
    drive(
        cache.lane(operation.segment()),
        now,
        (lane, effects) -> lane.receive(from, operation, effects));
  }

  private static void checkKey(Operation operation, HashSpace space) {
    boolean keyed =
        operation.kind() != Operation.Kind.CLEAR && operation.kind() != Operation.Kind.COUNT;
    if (keyed && space.segment(space.hash(operation.key())) != operation.segment()) {
      throw new IllegalArgumentException(
          "a key of cache \"%s\" was sent to segment %d, where it does not belong: the sender hashes keys otherwise"
              .formatted(operation.cache(), operation.segment()));
    }
  }

  /**
   * Reads a key without any message if this node holds its segment; the reply is that of a GET.
   *
   * @param format a hash of the formats of keys and values, 0 for any
   * @return null if this node cannot tell; a {@link
   *     dev.headrace.replication.client.OperationClient} then finds out who can, and why not
   */
  public @Nullable OperationReply readHere(
      String cacheName, int format, byte[] key, boolean wantValue) {
    return reads.readHere(cacheName, format, key, wantValue);
  }

  /** A caller says which results need not be kept for it any more. */
  private void resultsReceived(NodeId from, ResultsReceived message) {
    for (CacheSegments cache : caches.all()) {
      if (cache.cache().results().bytes() > 0) {
        for (long oldest : message.oldestOutstanding()) {
          cache.received(from, oldest);
        }
      }
    }
  }

  /** What lanes that are not at rest keep. */
  public LaneLoad load() {
    LaneLoad most = new LaneLoad(0, 0, 0, resultBytes());
    for (Lane lane : ticks) {
      synchronized (lane) {
        most = most.max(lane.load());
      }
    }
    return most;
  }

  /** About how many bytes of results this node keeps for callers. */
  public long resultBytes() {
    return around.results().bytes();
  }

  /** Lanes at rest have not heard of a table that only changes who is a member. */
  private void forgetLeavers() {
    if (!membersChanged) {
      return;
    }
    membersChanged = false;
    for (CacheSegments cache : caches.all()) {
      if (cache.cache().results().bytes() > 0) {
        cache.lanes().forEach(lane -> drive(lane, (driven, effects) -> {}));
      }
    }
  }

  /** What this node's stores use of their memory. */
  public MemoryNotice ownMemory() {
    return around.memory().own();
  }

  /** What the other nodes have told of theirs. */
  public Map<NodeId, MemoryNotice> othersMemory() {
    return around.memory().others();
  }

  // ---- Time and connections

  /** Messages on their way to a node may be lost. */
  public void disconnected(NodeId node) {
    for (Lane lane : ticks) {
      drive(lane, (driven, effects) -> driven.role().disconnected(node, effects));
    }
  }

  /**
   * Time goes on; to be called every few milliseconds, by one thread.
   *
   * @param nowNanos a monotonic clock
   */
  public void tick(long nowNanos) {
    this.nowNanos = nowNanos;
    around.formers().tick(nowNanos);
    forgetLeavers();
    tickLanes();
    copyScheduler.tick(nowNanos);
    SegmentTable table = table();
    Long looked = strangersNanos;
    if (looked == null) {
      strangersNanos = nowNanos;
    } else if (table != null && nowNanos - looked >= STRANGERS_NANOS) {
      strangersNanos = nowNanos;
      caches.all().stream()
          .filter(cache -> cache.cache().results().bytes() > 0)
          .forEach(cache -> cache.forgetStrangers(table));
    }
    if (table != null) {
      around.memory().tick(nowNanos, around.settings().self(), table, transport);
    }
  }

  // ---- Visits

  /**
   * Lets somebody look into a lane that has had something to do, or begin it.
   *
   * @return whether the visit took place; not before the first table
   */
  public boolean visit(String cache, int segment, Consumer<LaneVisit> visitor) {
    boolean[] visited = new boolean[1];
    drive(
        cache,
        segment,
        (lane, effects) -> {
          visited[0] = true;
          visitor.accept(new LaneVisit(lane, effects));
        });
    return visited[0];
  }

  /** The same because of a message, unless it is of other owners or of no primary (P7). */
  public void visit(NodeId from, SegmentMessage message, Consumer<LaneVisit> visitor) {
    drive(
        message.cache(),
        message.segment(),
        (lane, effects) -> {
          if (lane.accepts(from, message, effects)) {
            visitor.accept(new LaneVisit(lane, effects));
          }
        });
  }

  /** Whether a segment of a cache has a lane here: if not, it was never written here. */
  public boolean hasLane(String cache, int segment) {
    CacheSegments present = caches.find(cache);
    return present != null && segment < present.store().segments() && present.find(segment) != null;
  }

  /** Whether this node copies to others. */
  public boolean isFilling() {
    return !around.runningCopies().all().isEmpty();
  }

  /**
   * The last mutation that a learner may find in what was just read of this node's replica for it.
   *
   * @param request names one segment
   * @return -1 if this node is not the primary of the owners that the learner knows, so that what
   *     was read is none of its history
   */
  public long readThrough(ReadRequest request) {
    int segment = request.segments()[0];
    CacheSegments cache = caches.find(request.cache());
    Lane lane = cache == null ? null : cache.find(segment);
    if (lane == null) {
      return -1;
    }
    synchronized (lane) {
      boolean sameOwners = lane.table().segmentEpoch(segment) <= request.epoch();
      return sameOwners && lane.role() instanceof Primary ? lane.history().appliedSequence() : -1;
    }
  }

  // ---- Running lanes

  /** The time of the last tick. */
  long nowNanos() {
    return nowNanos;
  }

  /** Runs an event in a lane, which is made if it is not there; does nothing before any table. */
  void drive(String cache, int segment, Event event) {
    LocalReplicas now = caches.local();
    if (now != null) {
      Objects.checkIndex(segment, now.table().segments());
      drive(caches.obtain(cache).lane(segment), now, event);
    }
  }

  /** Runs an event in a lane that has had one before. */
  void drive(Lane lane, Event event) {
    LocalReplicas now = caches.local();
    if (now != null) {
      drive(lane, now, event);
    }
  }

  /** Runs an event in a lane, then does what the lane wants done. */
  void drive(Lane lane, LocalReplicas seen, Event event) {
    Effects effects = new Effects(nowNanos);
    boolean reads = false;
    try {
      synchronized (lane) {
        LocalReplicas newest = caches.local();
        try {
          lane.adopt(newest == null ? seen : newest, effects);
          event.run(lane, effects);
          if (!lane.attended() && lane.unsettled()) {
            ticks.add(lane);
          }
        } finally {
          reads = ranges.attend(lane, effects);
        }
      }
    } finally {
      carryOut(lane, effects);
      if (reads) {
        ranges.admit();
      }
    }
  }

  private void carryOut(Lane lane, Effects effects) {
    NodeId outdated = effects.outdated();
    if (outdated != null) {
      host.outdated(outdated, effects.outdatedEpoch());
    }
    for (int i = 0; i < effects.size(); i++) {
      Message message = effects.message(i);
      if (message instanceof HistoryRequest) {
        host.accompany(effects.receiver(i));
      }
      transport.send(effects.receiver(i), message);
    }
    RangeRequest range = effects.range();
    if (range != null) {
      ranges.read(lane, range);
    }
    NodeId ahead = effects.ahead();
    if (ahead != null) {
      host.behind(ahead);
    }
    String damage = effects.damage();
    if (damage != null) {
      host.damaged(lane.cache().name(), lane.segment(), damage);
    }
    NodeId keeper = effects.keeper();
    if (keeper != null) {
      host.giveBack(lane.segment(), effects.keptEpoch(), keeper);
    }
    if (effects.lostEpoch() >= 0) {
      host.lost(lane.segment(), effects.lostEpoch());
    }
    if (effects.otherCachesWoken()) {
      for (CacheSegments cache : caches.all()) {
        Lane other = cache.find(lane.segment());
        if (other != null && other != lane) {
          drive(other, (driven, woken) -> driven.role().othersRecovered(woken));
        }
      }
    }
    if (effects.sealWanted() && firstWriteRequested.compareAndSet(false, true)) {
      host.requestFirstWrite();
    }
  }

  private void tickLanes() {
    firstWriteRequested.set(false);
    int present = ticks.size();
    int due =
        Math.max(
            Math.min(present, LANES_PER_TICK),
            (present + MAX_TICKS_BETWEEN - 1) / MAX_TICKS_BETWEEN);
    for (int i = 0; i < due; i++) {
      Lane lane = ticks.poll();
      if (lane != null) {
        drive(lane, Lane::tick);
      }
    }
  }
}
