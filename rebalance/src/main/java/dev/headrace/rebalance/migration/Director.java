package dev.headrace.rebalance.migration;

import dev.headrace.rebalance.message.FillCancel;
import dev.headrace.rebalance.message.FillOrder;
import dev.headrace.rebalance.message.FillReport;
import dev.headrace.rebalance.message.Progress;
import dev.headrace.rebalance.plan.Move;
import dev.headrace.rebalance.plan.Plan;
import dev.headrace.rebalance.plan.PlanInput;
import dev.headrace.rebalance.plan.Planner;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Moves segments while its node leads: plans, orders fills, commits what is full. A machine without
 * threads or clock; not thread-safe.
 *
 * <p>It remembers nothing that the table does not say: a node that begins to lead plans from the
 * table in force, and whatever its predecessor had under way is begun anew where it is still
 * wanted. When all is done it plans once more, since proposals of a predecessor may have come in
 * force after it had planned.
 */
public final class Director {
  private static final long PROGRESS_NANOS = 250_000_000L;

  /** The most migrations that a text names. */
  private static final int MAX_TOLD = 10;

  /** Migration numbers of one term of office; far more than can be under way. */
  private static final int NUMBER_BITS = 20;

  private final DirectorSettings settings;
  private final DirectorEffects effects;
  private final Agenda agenda = new Agenda();
  private final Map<Integer, Migration> underWay = new LinkedHashMap<>();
  private final Map<NodeId, Integer> fills = new HashMap<>();
  private final Map<NodeId, List<FillOrder.Fill>> orders = new LinkedHashMap<>();

  private @Nullable SegmentTable table;
  private Set<NodeId> leaving = Set.of();
  private boolean leading;
  private Set<NodeId> planned = Set.of(); // the data nodes of the latest plan
  private boolean planWanted;
  private boolean moving; // whether the latest plan had moves
  private long planNotBeforeNanos;
  private @Nullable Commit committing;
  private long committedEpoch; // of what is committing, 0 before it was evaluated
  private long nowNanos;
  private long migrations;
  private Tally tally = new Tally(0, 0, 0);

  /** A director of a node that does not lead yet. */
  public Director(DirectorSettings settings, DirectorEffects effects) {
    this.settings = settings;
    this.effects = effects;
  }

  // ---- Events

  /** This node begins or ceases to lead. */
  public void leading(boolean leads) {
    if (leads == leading) {
      return;
    }
    leading = leads;
    agenda.clear();
    underWay.clear();
    fills.clear();
    orders.clear();
    committing = null;
    planWanted = false;
    moving = false;
    if (leads) {
      wantPlan(hasOnlyGrown() ? nowNanos + settings.holdNanos() : nowNanos);
      proceed();
    }
  }

  /** A table has come in force. */
  public void installed(SegmentTable newer) {
    SegmentTable before = table;
    table = newer;
    if (!leading) {
      return;
    }
    if (before == null || !dataNodes(before).equals(dataNodes(newer))) {
      boolean lost = before != null && !dataNodes(newer).containsAll(dataNodes(before));
      wantPlan(lost ? nowNanos : nowNanos + settings.holdNanos());
    } else if (!before.sealed() && newer.sealed()) {
      wantPlan(nowNanos);
    }
    settle(newer);
    proceed();
  }

  /** These nodes want to leave when they own nothing any more. */
  public void leaving(Set<NodeId> nodes) {
    if (!nodes.equals(leaving)) {
      leaving = Set.copyOf(nodes);
      wantPlan(nowNanos);
      proceed();
    }
  }

  /** A source tells how far fills are. */
  public void reported(FillReport report) {
    for (FillReport.FillState state : report.states()) {
      Migration migration = underWay.get(state.segment());
      if (migration == null || migration.id() != state.migration()) {
        continue; // of another leader, or cancelled
      }
      if (state.ready()) {
        migration.copied(state.copiedBytes());
        migration.enter(Migration.State.READY, nowNanos);
      } else {
        migration.enter(Migration.State.FAILED, nowNanos);
      }
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
    if (!leading) {
      return;
    }
    for (Migration migration : underWay.values()) {
      if (migration.copies() && now - migration.sinceNanos() >= settings.resendNanos()) {
        boolean ready = migration.state() == Migration.State.READY;
        migration.enter(ready ? Migration.State.READY : Migration.State.FILLING, now);
        order(migration); // A source ends what nobody asks for any more, ready or not.
      }
    }
    proceed();
    if (tally.begun() && now - tally.toldNanos >= PROGRESS_NANOS) {
      tell();
    }
  }

  /** How far the rebalance is that this node directs; all zero if there is none. */
  public Progress progress() {
    return tally.begun() ? tally.progress(filling(), nowNanos) : Progress.NONE;
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
   * membership ends a term of office, and the next begins with the new members.
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
    planWanted = false;
    planned = dataNodes(present);
    Plan plan = Planner.plan(new PlanInput(present, leaving));
    agenda.begin(plan.moves());
    List<Migration> superseded = new ArrayList<>();
    for (Migration migration : underWay.values()) {
      Move wanted = agenda.head(migration.segment());
      if (wanted != null && wanted.equals(migration.move())) {
        agenda.claim(wanted);
      } else {
        superseded.add(migration);
      }
    }
    cancel(superseded);
    moving = !plan.moves().isEmpty();
    if (!moving) {
      finish();
    } else {
      tally = new Tally(plan.copies(), plan.lowerBound(), nowNanos);
    }
  }

  private static Set<NodeId> dataNodes(SegmentTable table) {
    return table.members().stream()
        .filter(Member::holdsSegments)
        .map(Member::id)
        .collect(Collectors.toSet());
  }

  // ---- Moving

  private void proceed() {
    SegmentTable present = table;
    if (!leading || present == null || !present.sealed()) {
      return;
    }
    if (planWanted && nowNanos - planNotBeforeNanos >= 0 && committing == null) {
      plan(present);
    }
    Move next = agenda.next(this::hasRoom);
    while (next != null) {
      begin(next, present);
      next = agenda.next(this::hasRoom);
    }
    orders.forEach(
        (source, list) -> {
          if (!list.isEmpty()) {
            effects.send(source, new FillOrder(present.epoch(), list));
          }
        });
    orders.clear();
    commit();
  }

  private boolean hasRoom(NodeId node) {
    return fills.getOrDefault(node, 0) < settings.fillsPerNode();
  }

  private void begin(Move move, SegmentTable present) {
    List<NodeId> row = present.owners(move.segment());
    if (!move.leadsFrom(row)) {
      wantPlan(nowNanos);
      return;
    }
    boolean copies = move.add() != null && !row.isEmpty();
    Migration migration =
        new Migration(
            nextNumber(present),
            move,
            row,
            copies ? Migration.State.FILLING : Migration.State.READY,
            nowNanos);
    underWay.put(move.segment(), migration);
    if (copies) {
      count(migration, 1);
      order(migration);
    }
  }

  private long nextNumber(SegmentTable present) {
    long term = present.epoch() >>> NUMBER_BITS << NUMBER_BITS;
    return term | (migrations++ & ((1L << NUMBER_BITS) - 1));
  }

  private void order(Migration migration) {
    NodeId destination = migration.move().add();
    if (destination != null) {
      orders
          .computeIfAbsent(migration.source(), source -> new ArrayList<>())
          .add(new FillOrder.Fill(migration.id(), migration.segment(), destination));
    }
  }

  private void count(Migration migration, int change) {
    NodeId destination = migration.move().add();
    if (destination != null) {
      fills.merge(destination, change, Integer::sum);
    }
  }

  private void commit() {
    if (committing != null) {
      return;
    }
    List<Migration> ready =
        underWay.values().stream()
            .filter(migration -> migration.state() == Migration.State.READY)
            .limit(settings.movesPerCommit())
            .toList();
    if (!ready.isEmpty()) {
      Commit commit = new Commit(ready);
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

  /** Compares what is under way with a table that has come in force. */
  private void settle(SegmentTable present) {
    List<Migration> superseded = new ArrayList<>();
    for (Migration migration : List.copyOf(underWay.values())) {
      List<NodeId> row = present.owners(migration.segment());
      if (row.equals(migration.move().targetRow())) {
        made(migration);
      } else if (!row.equals(migration.rowBefore())) {
        superseded.add(migration);
      }
    }
    if (committing != null && committedEpoch != 0 && present.epoch() >= committedEpoch) {
      committing = null;
    }
    if (!superseded.isEmpty()) {
      cancel(superseded);
      wantPlan(nowNanos);
    }
    if (moving && agenda.isEmpty() && underWay.isEmpty() && !planWanted) {
      // What an earlier term of office has proposed may have come in force meanwhile.
      wantPlan(nowNanos);
    }
  }

  private void made(Migration migration) {
    underWay.remove(migration.segment());
    if (migration.copies()) {
      count(migration, -1);
      tally.made(migration.copiedBytes());
    }
    agenda.finished(migration.segment());
  }

  private void cancel(List<Migration> superseded) {
    Map<NodeId, List<Long>> bySource = new LinkedHashMap<>();
    for (Migration migration : superseded) {
      underWay.remove(migration.segment());
      if (migration.copies()) {
        count(migration, -1);
        bySource
            .computeIfAbsent(migration.source(), source -> new ArrayList<>())
            .add(migration.id());
      }
    }
    bySource.forEach((source, ids) -> cancel(source, ids));
  }

  private void cancel(NodeId source, List<Long> ids) {
    List<FillOrder.Fill> unsent = orders.get(source);
    if (unsent != null) {
      unsent.removeIf(fill -> ids.contains(fill.migration())); // It would overtake the end.
    }
    effects.send(source, new FillCancel(ids));
  }

  /** Migrations that have begun and are not in force. */
  public int underWay() {
    return underWay.size();
  }

  // ---- What people see

  private int filling() {
    return (int) underWay.values().stream().filter(Migration::copies).count();
  }

  private void tell() {
    tally.toldNanos = nowNanos;
    effects.progress(tally.progress(filling(), nowNanos));
  }

  private void finish() {
    if (tally.begun()) {
      tell();
      tally = new Tally(0, 0, 0);
    }
  }

  /** What one plan has come to. */
  private static final class Tally {
    private final int plannedCopies;
    private final int lowerBound;
    private final long beganNanos;
    private int copies;
    private long bytes;
    private long toldNanos;

    Tally(int plannedCopies, int lowerBound, long beganNanos) {
      this.plannedCopies = plannedCopies;
      this.lowerBound = lowerBound;
      this.beganNanos = beganNanos;
      this.toldNanos = beganNanos;
    }

    boolean begun() {
      return plannedCopies > 0;
    }

    void made(long copiedBytes) {
      copies++;
      bytes += copiedBytes;
    }

    Progress progress(int filling, long nowNanos) {
      return new Progress(plannedCopies, lowerBound, copies, filling, bytes, nowNanos - beganNanos);
    }
  }

  @Override
  public String toString() {
    SegmentTable present = table;
    return "director%s at epoch %s, %s%s, under way: %s"
        .formatted(
            leading ? "" : " (not leading)",
            present == null ? "none" : Epoch.toString(present.epoch()),
            planWanted ? "about to plan" : "as planned",
            committing == null ? "" : ", committing " + Epoch.toString(committedEpoch),
            underWay.values().stream().limit(MAX_TOLD).toList());
  }
}
