package dev.headrace.rebalance.migration;

import dev.headrace.api.error.LocatorException;
import dev.headrace.api.error.PlacementException;
import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.plan.Move;
import dev.headrace.rebalance.plan.Plan;
import dev.headrace.rebalance.plan.PlanInput;
import dev.headrace.rebalance.plan.Planner;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Moves segments while its node coordinates: plans, orders copies, commits what is complete. A
 * machine without threads or clock; not thread-safe.
 *
 * <p>It remembers nothing that the table does not say: a node that begins to coordinate plans from
 * the table in force, and whatever its predecessor had under way is begun anew where it is still
 * wanted. When all is done it plans once more, since proposals of a predecessor may have come in
 * force after it had planned.
 *
 * <pre>
 * state     event               guard                              next      effects
 * --------- ------------------- ---------------------------------- --------- ---------------------
 * any       coordinating(false)                                    idle      forgets everything
 * idle      coordinating(true)  nodes have only come since the     planned   plan after the hold
 *                               last plan                                    time
 * idle      coordinating(true)  else                               planned   plan now
 * any but   table, leaving      data nodes have gone, owners have  planned   plan now
 * idle                          changed otherwise than by a move,
 *                               or somebody wants to leave
 * any but   table               data nodes have come               planned   plan after the hold
 * idle                                                                       time
 * planned   tick, any           time has come, there is data, and  moving    copies are ordered as
 *                               nothing is being committed                   far as there is room
 * moving    report, tick        enough moves are ready, all are,   moving    commit proposed
 *                               or the last table is old enough
 * moving    commit evaluated    nothing in it fits the newest      planned   plan now
 *                               table
 * moving    table               owners are as a move wants them    moving    move ends; the next
 *                                                                            of its segment begins
 * moving    table               owners have changed otherwise      planned   copy cancelled
 * moving    table               no move is left                    planned   once more
 * planned   tick, any           time has come, no move is wanted   at rest   progress: finished
 * </pre>
 */
public final class Rebalancer implements TableListener {
  private static final int MAX_TOLD = 10;

  /** Migration numbers of one ballot; far more than can be under way. */
  private static final int NUMBER_BITS = 20;

  private static final long PLAN_AGAIN_NANOS = 1_000_000_000;

  private final RebalancerSettings settings;
  private final RebalancerEffects effects;
  private final MoveQueue queue = new MoveQueue();
  private final InFlightMoves inFlight;
  private @Nullable SegmentTable table;
  private Set<NodeId> leaving = Set.of();
  private boolean coordinating;
  private Set<NodeId> planned = Set.of(); // the data nodes of the latest plan
  private boolean planWanted;
  private boolean moving; // whether the latest plan had moves
  private long planNotBeforeNanos;
  private @Nullable Commit committing;
  private long installedNanos; // when the last table came in force
  private long committedEpoch; // of what is committing, 0 before it was evaluated
  private long nowNanos;
  private long migrations;
  private RebalanceStats stats = RebalanceStats.NONE;

  /** A rebalancer of a node that does not coordinate yet. */
  public Rebalancer(RebalancerSettings settings, RebalancerEffects effects) {
    this.settings = settings;
    this.effects = effects;
    this.inFlight = new InFlightMoves(settings, effects);
  }

  // ---- Events

  /** This node begins or ceases to coordinate. */
  public void coordinating(boolean coordinates) {
    if (coordinates == coordinating) {
      return;
    }
    coordinating = coordinates;
    queue.clear();
    inFlight.clear();
    committing = null;
    planWanted = false;
    stats = RebalanceStats.NONE;
    moving = false;
    if (coordinates) {
      wantPlan(hasOnlyGrown() ? nowNanos + settings.holdNanos() : nowNanos);
      proceed();
    }
  }

  @Override
  public void onTable(TableDelta delta, SegmentTable newer) {
    SegmentTable before = table;
    table = newer;
    installedNanos = nowNanos;
    if (!coordinating) {
      return;
    }
    boolean sameNodes = before != null && dataNodes(before).equals(dataNodes(newer));
    if (!sameNodes) {
      boolean lost = before != null && !dataNodes(newer).containsAll(dataNodes(before));
      wantPlan(lost ? nowNanos : nowNanos + settings.holdNanos());
    }
    boolean onlyMoved = settle(newer, delta.changedSegments());
    if (sameNodes && !onlyMoved) {
      wantPlan(nowNanos);
    }
    proceed();
  }

  /** These nodes leave as soon as they own nothing. */
  public void leaving(Set<NodeId> nodes) {
    if (!nodes.equals(leaving)) {
      leaving = Set.copyOf(nodes);
      wantPlan(nowNanos);
      proceed();
    }
  }

  /** A source tells how far copies are. */
  public void reported(List<CopyReport> reports) {
    for (CopyReport state : reports) {
      Migration migration = inFlight.of(state.segment());
      if (migration == null || migration.id() != state.migration()) {
        continue; // of another coordinator, or cancelled
      }
      if (state.ready()) {
        migration.copied(state.copiedBytes());
      }
      inFlight.enter(
          migration, state.ready() ? Migration.State.READY : Migration.State.FAILED, nowNanos);
    }
    proceed();
  }

  /**
   * Time has passed.
   *
   * @param now of a monotonic clock, in nanoseconds
   */
  public void tick(long now) {
    nowNanos = now;
    if (!coordinating) {
      return;
    }
    inFlight.tick(now);
    proceed();
    if (stats.due(now)) {
      tell();
    }
  }

  /** How far this node's rebalance is; all zero if there is none. */
  public RebalanceProgress progress() {
    return stats.begun() ? stats.progress(inFlight.copies(), nowNanos) : RebalanceProgress.NONE;
  }

  // ---- Planning

  private void wantPlan(long notBeforeNanos) {
    // A loss must not wait for a join, and a join starts the wait for others anew.
    boolean sooner = notBeforeNanos <= nowNanos;
    planNotBeforeNanos =
        planWanted && !sooner && planNotBeforeNanos <= nowNanos
            ? planNotBeforeNanos
            : notBeforeNanos;
    planWanted = true;
  }

  /**
   * Whether nodes have joined and none has gone since this node planned last. Every change of
   * membership ends a ballot, and the next begins with the new members.
   */
  private boolean hasOnlyGrown() {
    SegmentTable present = table;
    if (present == null || planned.isEmpty()) {
      return false;
    }
    Set<NodeId> nodes = dataNodes(present);
    return nodes.size() > planned.size() && nodes.containsAll(planned);
  }

  private void plan(SegmentTable present) {
    // Should a defect end the planning, it is tried again: nothing would ever move otherwise.
    planNotBeforeNanos = nowNanos + PLAN_AGAIN_NANOS;
    Plan plan = planFrom(present);
    planWanted = false;
    planned = dataNodes(present);
    queue.begin(plan.moves());
    List<Migration> superseded = new ArrayList<>();
    for (Migration migration : inFlight.all()) {
      if (!queue.claim(migration.segment(), migration.moves())) {
        superseded.add(migration);
      }
    }
    inFlight.cancel(superseded);
    moving = !plan.moves().isEmpty();
    if (!moving && !stats.begun()) {
      // whatever a former coordinator has told the others last
      effects.progress(RebalanceProgress.NONE, MovesNotice.NONE);
    } else if (!moving) {
      tell();
      stats = RebalanceStats.NONE;
    } else {
      stats = new RebalanceStats(plan.copies(), plan.lowerBound(), nowNanos);
      tell(); // or nobody would hear of one that is over before the next time
    }
  }

  /** The plan; one that keeps everything where it is if the placement fails. */
  private Plan planFrom(SegmentTable present) {
    PlanInput input = new PlanInput(present, leaving, settings.placement());
    try {
      return Planner.plan(input);
    } catch (PlacementException | LocatorException e) {
      effects.warned(
          "Segments stay where they are, and those that have lost all owners without any, until the"
              + " nodes of the cluster change: "
              + e.getMessage());
      return Planner.keep(input);
    }
  }

  private static Set<NodeId> dataNodes(SegmentTable table) {
    return Set.copyOf(table.dataNodes());
  }

  // ---- Moving

  private void proceed() {
    SegmentTable present = table;
    if (!coordinating || present == null || !present.written()) {
      return;
    }
    if (planWanted && nowNanos - planNotBeforeNanos >= 0 && committing == null) {
      plan(present);
    }
    Integer next = queue.next(inFlight::hasRoom);
    while (next != null) {
      begin(next, present);
      next = queue.next(inFlight::hasRoom);
    }
    inFlight.sendOrders(present.epoch());
    commit();
  }

  private void begin(int segment, SegmentTable present) {
    List<NodeId> row = present.owners(segment);
    List<Move> moves = queue.of(segment);
    if (!moves.get(0).leadsFrom(row)) {
      wantPlan(nowNanos);
      return;
    }
    // A segment with one replica gets its second as soon as possible; what follows is one step.
    int most = row.size() < 2 ? 1 : Math.min(moves.size(), SegmentCopy.MAX_DESTINATIONS);
    List<Move> step = moves.subList(0, most);
    inFlight.begin(new Migration(nextNumber(present), step, present, nowNanos));
  }

  private long nextNumber(SegmentTable present) {
    long ballot = present.epoch() >>> NUMBER_BITS << NUMBER_BITS;
    return ballot | (migrations++ & ((1L << NUMBER_BITS) - 1));
  }

  /** Each commit is a way through the cluster and back: while more is copied, some are gathered. */
  private boolean isWorthACommit() {
    int ready = inFlight.ready().size();
    return ready > 0
        && (ready >= settings.movesPerCommit() / 2
            || ready == inFlight.size()
            || nowNanos - installedNanos >= settings.gatherNanos());
  }

  private void commit() {
    if (committing == null && isWorthACommit()) {
      Commit commit =
          new Commit(inFlight.ready().stream().limit(settings.movesPerCommit()).toList(), leaving);
      committing = commit;
      committedEpoch = 0;
      effects.propose((newest, epoch) -> evaluate(commit, newest, epoch));
    }
  }

  @SuppressWarnings("ReferenceEquality") // this very commit, not one like it
  private @Nullable TableDelta evaluate(Commit commit, SegmentTable newest, long epoch) {
    TableDelta delta = commit.on(newest, epoch);
    if (committing == commit) {
      committedEpoch = epoch;
      if (delta == null) {
        committing = null;
        wantPlan(nowNanos);
      }
    }
    return delta;
  }

  /**
   * Compares what is under way with a table that has come in force.
   *
   * @return whether no segment has changed but by what was under way
   */
  private boolean settle(SegmentTable present, int[] changedSegments) {
    Set<Integer> changed = Arrays.stream(changedSegments).boxed().collect(Collectors.toSet());
    List<Migration> superseded = new ArrayList<>();
    for (Migration migration : List.copyOf(inFlight.all())) {
      List<NodeId> row = present.owners(migration.segment());
      if (row.equals(migration.targetRow())) {
        made(migration);
        changed.remove(migration.segment());
      } else if (present.segmentEpoch(migration.segment()) != migration.segmentEpoch()) {
        superseded.add(migration);
      }
    }
    if (committing != null && committedEpoch != 0 && present.epoch() >= committedEpoch) {
      committing = null;
    }
    if (!superseded.isEmpty()) {
      inFlight.cancel(superseded);
      wantPlan(nowNanos);
    }
    if (moving && queue.isEmpty() && inFlight.isEmpty() && !planWanted) {
      // What an earlier ballot has proposed may have come in force meanwhile.
      wantPlan(nowNanos);
    }
    return changed.isEmpty();
  }

  private void made(Migration migration) {
    inFlight.end(migration);
    stats.made(migration.destinations().size(), migration.copiedBytes());
    queue.finished(migration.segment(), migration.moves().size());
  }

  /** Migrations that have begun and are not in force. */
  public int inFlight() {
    return inFlight.size();
  }

  // ---- What people see

  private void tell() {
    effects.progress(stats.tell(inFlight.copies(), nowNanos), inFlight.notice());
  }

  @Override
  public String toString() {
    SegmentTable present = table;
    return "coordinator%s at epoch %s, %s%s, under way: %s"
        .formatted(
            coordinating ? "" : " (not coordinating)",
            present == null ? "none" : Epoch.toString(present.epoch()),
            planWanted ? "about to plan" : "as planned",
            committing == null ? "" : ", committing " + Epoch.toString(committedEpoch),
            inFlight.all().stream().limit(MAX_TOLD).toList());
  }
}
