package dev.headrace.rebalance.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.plan.PlanInput;
import dev.headrace.rebalance.plan.Planner;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableEdit;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;

/**
 * A cluster as its coordinator sees it: sources that report when they like, and an agreement that
 * puts a proposal in force a little later. Checks at every table that no segment has fewer replicas
 * than before or than configured, unless a node crashed.
 */
final class Yard implements RebalancerEffects {
  private static final long STEP_NANOS = 5_000_000L;

  private final Random random = new Random(17);
  private final RebalancerSettings settings;
  private final Queue<Proposal> proposals = new ArrayDeque<>();
  private final List<Order> waiting = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final Set<NodeId> stuck = new HashSet<>();
  private final Set<NodeId> leaving = new HashSet<>();

  /** What was told of the progress. */
  final List<RebalanceProgress> told = new ArrayList<>();

  int named; // moves, each as often as it was told

  private Rebalancer rebalancer;
  private SegmentTable table;
  private long nowNanos;
  private int orders;
  private int copies;
  private int failures;
  private int toFail;
  private int toLose;
  private int bound = -1;

  private record Order(NodeId source, SegmentCopy copy, long dueNanos) {}

  private Yard(SegmentTable table, Placement placement) {
    this.table = table;
    settings = new RebalancerSettings(50_000_000L, 40_000_000L, 10_000_000L, 16, 64, placement);
    rebalancer = new Rebalancer(settings, this);
    rebalancer.onTable(TableDelta.fromNothing(table), table);
    rebalancer.coordinating(true);
  }

  static Yard of(int segments, int owners, int nodes) {
    return of(segments, owners, nodes, new WeightedRendezvous());
  }

  static Yard of(int segments, int owners, int nodes, Placement placement) {
    Yard yard = new Yard(placed(segments, owners, nodes, placement).written(2, 99), placement);
    yard.settle();
    yard.orders = 0;
    yard.copies = 0;
    yard.bound = -1;
    return yard;
  }

  static Yard unwritten(int segments, int owners, int nodes) {
    Placement placement = new WeightedRendezvous();
    return new Yard(placed(segments, owners, nodes, placement), placement);
  }

  private static SegmentTable placed(int segments, int owners, int nodes, Placement placement) {
    List<Member> members = new ArrayList<>();
    for (int number = 0; number < nodes; number++) {
      members.add(member(number));
    }
    return SegmentTable.of(
        new TableHeader(1, 1, 0, 7, segments, owners, 100),
        members,
        placement.place(segments, owners, members));
  }

  private static Member member(int number) {
    return new Member(id(number), "n" + number, "127.0.0.1", 1, "", 1);
  }

  private static NodeId id(int number) {
    return new NodeId(1, number + 1L);
  }

  // ---- What happens to the cluster

  void join(int howMany) {
    int highest =
        table.members().stream().mapToInt(member -> (int) member.id().low()).max().orElse(0);
    TableEdit edit = table.edit(table.epoch() + 1);
    for (int i = 0; i < howMany; i++) {
      edit.addMember(member(highest + i));
    }
    install(edit.delta(), false);
  }

  void leave(int number) {
    leaving.add(id(number));
    rebalancer.leaving(leaving);
  }

  void crash(int number) {
    TableEdit edit = table.edit(table.epoch() + 1);
    edit.removeMembers(List.of(id(number)));
    waiting.removeIf(order -> order.source().equals(id(number)));
    install(edit.delta(), true);
  }

  /** A node is excluded and admitted again, and the coordinator hears of it only then. */
  void crashUnseen(int number) {
    TableEdit without = table.edit(table.epoch() + 1);
    without.removeMembers(List.of(id(number)));
    table = table.apply(without.delta());
    TableEdit again = table.edit(table.epoch() + 1);
    again.addMember(member(number));
    table = table.apply(again.delta());
    rebalancer.onTable(TableDelta.fromNothing(table), table);
  }

  /** A segment's primary lacks something, and a node that owns nothing of it has everything. */
  void giveBack(int segment, int number) {
    List<NodeId> row = new ArrayList<>(table.owners(segment));
    row.add(0, id(number));
    install(table.edit(table.epoch() + 1).owners(segment, row).delta(), false);
  }

  void failNext(int howMany) {
    toFail = howMany;
  }

  void loseOrders(int howMany) {
    toLose = howMany;
  }

  void neverCopies(int number) {
    stuck.add(id(number));
  }

  void changeCoordinator() {
    rebalancer.coordinating(false);
    proposals.clear();
    rebalancer = new Rebalancer(settings, this);
    rebalancer.onTable(TableDelta.fromNothing(table), table);
    rebalancer.tick(nowNanos);
    rebalancer.coordinating(true);
  }

  /**
   * The same node coordinates again, as after a change of view; what it has proposed is not lost.
   */
  void beginNextBallot() {
    rebalancer.coordinating(false);
    rebalancer.coordinating(true);
  }

  // ---- Time

  /** Lets the wait for further joins pass. */
  void hold() {
    run(12);
  }

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      step();
    }
  }

  void stepsUntilCopies(int wanted) {
    for (int i = 0; copies < wanted; i++) {
      assertThat(i).as("steps until %d copies", wanted).isLessThan(10_000);
      step();
    }
  }

  /** Goes on until nothing is left to do. */
  void settle() {
    int quiet = 0;
    for (int i = 0; quiet < 30; i++) {
      assertThat(i).as("steps until the yard is at rest").isLessThan(20_000);
      step();
      boolean done = proposals.isEmpty() && waiting.isEmpty();
      quiet = done ? quiet + 1 : 0;
    }
  }

  private void step() {
    nowNanos += STEP_NANOS;
    rebalancer.tick(nowNanos);
    List<Order> due = waiting.stream().filter(order -> order.dueNanos() <= nowNanos).toList();
    waiting.removeAll(due);
    for (Order order : due) {
      boolean fails = toFail > 0;
      toFail -= fails ? 1 : 0;
      failures += fails ? 1 : 0;
      SegmentCopy copy = order.copy();
      rebalancer.reported(List.of(new CopyReport(copy.migration(), copy.segment(), !fails, 1000)));
    }
    Proposal proposal = proposals.poll();
    TableDelta delta = proposal == null ? null : proposal.on(table, table.epoch() + 1);
    if (delta != null) {
      install(delta, false);
    }
  }

  private void install(TableDelta delta, boolean crash) {
    SegmentTable before = table;
    table = table.apply(delta);
    for (int segment = 0; segment < table.segments(); segment++) {
      List<NodeId> old = before.owners(segment);
      List<NodeId> row = table.owners(segment);
      if (!crash) {
        int least = Math.min(old.size(), table.configuredOwners());
        assertThat(row).as("owners of segment %d", segment).hasSizeGreaterThanOrEqualTo(least);
      }
      copies += (int) row.stream().filter(owner -> !old.contains(owner)).count();
    }
    rebalancer.onTable(delta, table);
  }

  // ---- What the coordinator wants

  @Override
  public void copy(NodeId primary, long epoch, List<SegmentCopy> copies) {
    orders += copies.size();
    if (bound < 0) {
      bound = Planner.plan(new PlanInput(table, leaving, settings.placement())).lowerBound();
    }
    if (toLose > 0) {
      toLose--;
      return;
    }
    for (SegmentCopy copy : copies) {
      assertThat(table.primary(copy.segment())).isEqualTo(primary);
      if (copy.destinations().stream().noneMatch(stuck::contains)) {
        waiting.add(new Order(primary, copy, nowNanos + random.nextInt(4) * STEP_NANOS));
      }
    }
  }

  @Override
  public void cancel(NodeId primary, List<Long> migrations) {
    waiting.removeIf(order -> migrations.contains(order.copy().migration()));
  }

  @Override
  public void propose(Proposal proposal) {
    proposals.add(proposal);
  }

  @Override
  public void progress(RebalanceProgress progress, MovesNotice moves) {
    assertThat(progress.copies()).isLessThanOrEqualTo(progress.plannedCopies());
    for (MovesNotice.Move move : moves.moves()) {
      List<NodeId> row = table.owners(move.segment());
      assertThat(move.source()).as("%s in %s", move, row).isEqualTo(row.get(0));
      assertThat(row).as("%s", move).doesNotContainAnyElementsOf(move.destinations());
    }
    named += moves.moves().size();
    told.add(progress);
  }

  @Override
  public void warned(String text) {
    warnings.add(text);
  }

  // ---- What came of it

  List<String> warnings() {
    return warnings;
  }

  SegmentTable table() {
    return table;
  }

  int orders() {
    return orders;
  }

  int copies() {
    return copies;
  }

  int failures() {
    return failures;
  }

  int boundOfFirstPlan() {
    return bound;
  }

  boolean owns(int number, int segment) {
    return table.isOwner(segment, id(number));
  }

  int owned(int number) {
    int owned = 0;
    for (int segment = 0; segment < table.segments(); segment++) {
      owned += owns(number, segment) ? 1 : 0;
    }
    return owned;
  }

  int smallestRow() {
    int smallest = Integer.MAX_VALUE;
    for (int segment = 0; segment < table.segments(); segment++) {
      smallest = Math.min(smallest, table.ownerCount(segment));
    }
    return smallest;
  }
}
