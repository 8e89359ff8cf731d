package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.publish.TableGossip;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A node of a {@link Simulation}: an agreement, and checks of everything that it does. */
final class AgreementNode implements AgreementEffects {

  final Member member;
  final TableAgreement agreement;
  final List<String> warnings = new ArrayList<>();

  /** How much faster or slower a node's clock may run than the simulation's. */
  static final double MOST_DRIFT = 0.2;

  /** What its clock shows when that of the simulation shows 0. */
  private final long clockNanos;

  /** How fast its clock runs. */
  private final double clockRate;

  private final Simulation simulation;

  /** What it tells others of tables, where the simulation lets nodes talk. */
  final TableGossip gossip;

  SegmentTable table;
  SegmentTable shown;
  String refusal;
  String suspension;
  boolean hasLeft;
  private long leftNanos;
  boolean leaving;
  boolean crashed;
  boolean coordinates;
  long leaseUntilNanos = Lease.NEVER;
  long lastViewNumber = -1;
  long pausedUntilNanos;
  int images;

  AgreementNode(Simulation simulation, Member member, ClusterTerms terms, SplitPolicy split) {
    this.simulation = simulation;
    this.member = member;
    this.gossip = new TableGossip((to, notice) -> simulation.tell(this, to, (TableNotice) notice));
    this.clockNanos = simulation.random.nextLong() >> 8;
    // Not drawn, so that what else is drawn stays the same.
    double part = (clockNanos & 0xff) / 255.0;
    this.clockRate = simulation.clocksDrift ? 1 + MOST_DRIFT * (2 * part - 1) : 1;
    AgreementSettings settings = AgreementSettings.of(member, terms.losing(simulation.lost), split);
    Random random = new Random(simulation.random.nextLong());
    agreement =
        new TableAgreement(
            simulation.movesSegments ? settings.movingSegments() : settings,
            simulation.placement,
            random,
            this);
  }

  NodeId id() {
    return member.id();
  }

  /** Tells that it wants to leave, if it does, and whether anybody still needs it. */
  void wishToLeave() {
    if (leaving && isUp()) {
      SegmentTable now = agreement.table();
      boolean free = now != null && now.replicas(id()) == 0;
      agreement.requestLeave(free ? now.epoch() : SegmentTable.NEVER, nowNanos());
    }
  }

  boolean isUp() {
    return !crashed && refusal == null && !hasLeft;
  }

  /** Its own clock. */
  long nowNanos() {
    return clockNanos + (long) (simulation.nowNanos() * clockRate);
  }

  /** What the simulation's clock shows when its own shows some time. */
  long simulatedNanos(long nanos) {
    return (long) ((nanos - clockNanos) / clockRate);
  }

  boolean isSuspended() {
    return suspension != null;
  }

  /** Whether it would answer for what it owns. */
  boolean serves() {
    return table != null && Lease.isValid(leaseUntilNanos, nowNanos());
  }

  @Override
  public void send(NodeId to, ControlMessage message) {
    boolean justLeft = hasLeft && leftNanos == simulation.nowNanos(); // an event goes on to its end
    assertThat(refusal == null && (!hasLeft || justLeft)).as("only who is up sends").isTrue();
    simulation.send(this, to, message);
  }

  @Override
  public void install(TableDelta delta, SegmentTable next) {
    if (crashed) {
      return;
    }
    assertThat(isUp()).as("only a node that is up installs").isTrue();
    images += delta.isFromNothing() ? 1 : 0;
    if (table != null) {
      assertThat(next.epoch()).as("epochs grow").isGreaterThan(table.epoch());
      if (!delta.isFromNothing()) {
        assertThat(table.apply(delta)).as("the delta makes the table").isEqualTo(next);
      }
      if (table.written()) {
        assertThat(next.header().firstWrite())
            .as("a first write stays")
            .isEqualTo(table.header().firstWrite());
        assertThat(next.hashSeed()).isEqualTo(table.hashSeed());
      }
    }
    if (!leaving) {
      assertThat(next.member(id())).as("a node is a member of its table").isNotNull();
    }
    simulation.invariants.installed(this, table, next, delta);
    table = next;
    gossip.onTable(delta, next);
  }

  /** Another node tells of a table on a connection of its own. */
  void noticed(NodeId from, TableNotice notice) {
    if (table == null) {
      return;
    }
    if (notice.epoch() < table.epoch()) {
      gossip.outdated(from, notice.epoch());
    } else if (!agreement.noticed(notice, nowNanos())) {
      gossip.behind(from);
    }
  }

  @Override
  public void lease(long untilNanos) {
    leaseUntilNanos = untilNanos;
    simulation.invariants.leased(this);
  }

  @Override
  public void coordinating(boolean coordinatesNow) {
    assertThat(coordinatesNow).isNotEqualTo(coordinates);
    coordinates = coordinatesNow;
  }

  @Override
  public void refused(String reason) {
    refusal = reason;
    simulation.ended();
  }

  @Override
  public void left() {
    hasLeft = true;
    leftNanos = simulation.nowNanos();
    simulation.ended();
  }

  @Override
  public void suspended(String reason) {
    assertThat(reason).isNotEqualTo(suspension);
    suspension = reason;
  }

  @Override
  public void stalled(SegmentTable inForce, String reason) {
    assertThat(table).as("only a node without a table is stalled").isNull();
    assertThat(suspension).isEqualTo(reason);
    shown = inForce;
  }

  @Override
  public void resumed() {
    assertThat(suspension).isNotNull();
    suspension = null;
  }

  @Override
  public void warned(String text) {
    warnings.add(text);
  }

  @Override
  public String toString() {
    return member.name() + " " + (isUp() ? table : "down: " + refusal);
  }
}
