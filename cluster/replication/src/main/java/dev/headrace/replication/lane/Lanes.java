package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.replication.copy.RunningCopies;
import dev.headrace.replication.copy.RunningCopy;
import dev.headrace.replication.log.ChangeRetention;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.ResultMemory;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.ChangesRead;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.MemoryNotice;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.RepairMessage;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.ResultsReceived;
import dev.headrace.replication.message.SegmentMessage;
import dev.headrace.replication.role.FormerOwners;
import dev.headrace.replication.role.LaneContext;
import dev.headrace.replication.role.LeaseCheck;
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
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All lanes of a node, and the stores under them.
 *
 * <p>Thread-safe. A {@link LaneDriver} runs the lanes, each under its monitor; {@link Reads} need
 * none.
 */
public final class Lanes implements TableListener {

  /** A node that knows so many caches lets no caller open another one. */
  public static final int MAX_CACHES = 4096;

  /** A node that knows so many caches takes none from other owners any more. */
  static final int MAX_CACHES_OF_OWNERS = 2 * MAX_CACHES;

  private final LaneContext around;
  private final Caches caches;
  private final CopyScheduler copyScheduler;
  private final Transport transport;
  private final Reads reads;
  private final TickQueue ticks = new TickQueue();
  private final LaneDriver driver;
  private final ResultRetention retention;
  private final RoleChanges roleChanges;
  private final ChangeReads changeReads;

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
            new LeaseCheck(lease, this::table),
            new RunningCopies(),
            new FormerOwners(),
            new ResultMemory(settings.maxResultBytes()),
            new ChangeRetention(settings.maxChangeBytes(), settings.previousValues()),
            new MemoryGate(memory),
            this::recovered);
    this.caches = new Caches(around, stores, ticks::add);
    RangeReads ranges = new RangeReads(settings.rangeBytes(), reads);
    this.driver = new LaneDriver(caches, ticks, ranges, transport, host);
    this.retention = new ResultRetention(caches, driver);
    this.roleChanges = new RoleChanges(caches, driver);
    this.copyScheduler = new CopyScheduler(around, caches, driver, transport, host);
    this.transport = transport;
    this.reads = new Reads(caches, around.lease(), transport, host);
    ChangeAnswers changes = new ChangeAnswers(caches, driver, around.changes(), around.lease());
    this.changeReads = new ChangeReads(changes::answer, host::answerAside, transport);
    driver.onAdvance(lane -> changeReads.advanced(lane.cache().name(), lane.segment()));
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
    if (before != null && isBack(before.table(), table)) {
      caches.all().forEach(cache -> cache.cache().doubtFormat());
    }
    int[] moved = caches.tableChanged(table, changed);
    LocalReplicas now = caches.local();
    if (moved == null || now == null) {
      return;
    }
    if (before != null && !now.table().sharesMembers(before.table())) {
      retention.membersChanged();
    }
    for (int segment : moved) {
      copyScheduler.ownersChanged(segment, now.table());
    }
    roleChanges.add(moved);
  }

  /** Whether this node has been admitted again, whether it saw a table without itself or not. */
  private boolean isBack(SegmentTable before, SegmentTable table) {
    NodeId self = around.settings().self();
    long admittedAt = table.admittedAt(self);
    return admittedAt != SegmentTable.NEVER && admittedAt != before.admittedAt(self);
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

  /**
   * The segments that this node owns and is not in sync for in some cache. Right after a hand-over
   * these may be all that it was given.
   */
  public BitSet outOfSyncSegments() {
    NodeId self = around.settings().self();
    SegmentTable now = table();
    BitSet outOfSync = new BitSet();
    for (Lane lane : ticks) { // one that was just made has no table of its own yet
      int segment = lane.segment();
      if (now != null && segment < now.segments() && now.isOwner(segment, self)) {
        synchronized (lane) {
          if (!lane.inSync()) {
            outOfSync.set(segment);
          }
        }
      }
    }
    return outOfSync;
  }

  /** What this node copies as a source, for people. */
  public List<String> copying() {
    return around.runningCopies().all().stream().map(RunningCopy::toString).toList();
  }

  /**
   * Whether this node may answer what it has read; to be asked after the reading.
   *
   * @param readUnder this node's table before the reading
   * @param segments what was read, of which this node was an owner
   */
  public boolean mayAnswer(SegmentTable readUnder, int[] segments) {
    return around.lease().permits(readUnder, segments);
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
    return caches.all().stream()
        .filter(each -> !each.cache().isForgotten())
        .map(CacheSegments::name)
        .collect(Collectors.toSet());
  }

  /**
   * Forgets a cache that was removed: it is as if nothing had been written to it. Its lanes keep
   * their numbers, so that what is still under way finds its place.
   *
   * @return false if this node holds entries of it
   */
  public boolean forget(String cache) {
    CacheSegments present = caches.find(cache);
    return present == null || present.cache().forget();
  }

  /** Whether keys and values of a format may be read from a cache; 0 for any. */
  public boolean admits(String cache, int format) {
    CacheSegments present = caches.find(cache);
    return present == null || present.cache().admits(format);
  }

  /** The caches that this node knows. */
  Collection<CacheSegments> caches() {
    return caches.all();
  }

  /** What runs the lanes. */
  LaneDriver driver() {
    return driver;
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
      operation(from, operation, transport);
    } else if (message instanceof RepairMessage) {
      return false;
    } else if (message instanceof SegmentMessage ofSegment) {
      ofSegment(from, ofSegment, transport);
      if (message instanceof Learned) {
        copyScheduler.progressed(ofSegment.segment());
      }
    } else if (message instanceof BulkRead read) {
      reads.bulkRead(from, read);
    } else if (message instanceof ChangesRead read) {
      changeReads.read(from, read);
    } else if (message instanceof ResultsReceived received) {
      retention.received(from, received);
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

  /**
   * Messages have come together. What they have this node send leaves together, too, node by node.
   *
   * @param others takes what is for somebody else
   * @throws RuntimeException if one of them makes no sense; it has had no effect then, but all
   *     others have
   */
  public void receive(NodeId from, List<? extends Message> messages, Consumer<Message> others) {
    GatheredMessages gathered = new GatheredMessages(transport);
    RuntimeException senseless = null;
    for (int i = 0; i < messages.size(); i++) {
      Message message = messages.get(i);
      try {
        if (message instanceof Operation operation && operation.kind().mutation()) {
          operation(from, operation, gathered);
        } else if (message instanceof Replicate || message instanceof Replicated) {
          ofSegment(from, (SegmentMessage) message, gathered);
        } else {
          others.accept(message);
        }
      } catch (RuntimeException e) {
        if (senseless == null) {
          senseless = e;
        } else {
          senseless.addSuppressed(e);
        }
      }
    }
    gathered.release();
    if (senseless != null) {
      throw senseless;
    }
  }

  private void ofSegment(NodeId from, SegmentMessage message, Transport through) {
    LocalReplicas now = caches.local();
    if (now != null) {
      Objects.checkIndex(message.segment(), now.table().segments());
      driver.drive(
          caches.obtain(message.cache()).lane(message.segment()),
          (lane, effects) -> lane.receive(from, message, effects),
          through);
    }
  }

  private void operation(NodeId from, Operation operation, Transport through) {
    LocalReplicas now = caches.local();
    if (now == null) {
      through.send(from, OperationReply.refused(operation.id(), Outcome.STALE, -1));
      return;
    }
    Objects.checkIndex(operation.segment(), now.table().segments());
    if (operation.kind() == Operation.Kind.GET) {
      through.send(from, reads.read(from, operation, now));
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
      through.send(from, OperationReply.refused(operation.id(), outcome, now.table().epoch()));
      return;
    }
    check(operation, cache.store().space());
    driver.drive(
        cache.lane(operation.segment()),
        (lane, effects) -> lane.receive(from, operation, effects),
        through);
  }

  private static void check(Operation operation, HashSpace space) {
    if (operation.kind() == Operation.Kind.PROCESS && operation.expected() == null) {
      throw new IllegalArgumentException(
          "an operation on cache \"" + operation.cache() + "\" names no processor");
    }
    if (operation.kind().keyed()
        && space.segment(space.hash(operation.key())) != operation.segment()) {
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

  /** How many bytes of changes this node retains for readers. */
  public long changeBytes() {
    return around.changes().bytes();
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
    changeReads.disconnected(node);
    for (Lane lane : ticks) {
      driver.drive(lane, (driven, effects) -> driven.role().disconnected(node, effects));
    }
  }

  /**
   * Time goes on; to be called every few milliseconds, by one thread.
   *
   * @param nowNanos a monotonic clock
   */
  public void tick(long nowNanos) {
    around.formerOwners().tick(nowNanos);
    driver.tick(nowNanos);
    copyScheduler.tick(nowNanos);
    changeReads.tick(nowNanos);
    SegmentTable table = table();
    if (table != null) {
      retention.tick(nowNanos, table);
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
    driver.drive(
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
    driver.drive(
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
  public boolean isCopying() {
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
}
