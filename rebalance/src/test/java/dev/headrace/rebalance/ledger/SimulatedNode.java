package dev.headrace.rebalance.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.publish.Bulletin;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A node of a {@link Simulation}: a ledger, and checks of everything that it does. */
final class SimulatedNode implements LedgerEffects {

  final Member member;
  final Ledger ledger;
  final List<String> warnings = new ArrayList<>();

  /** What its clock shows when that of the simulation shows 0. */
  final long clockNanos;

  private final Simulation simulation;

  /** What it tells others of tables, where the simulation lets nodes talk. */
  final Bulletin bulletin;

  SegmentTable table;
  SegmentTable shown;
  String refusal;
  String suspension;
  boolean hasLeft;
  private long leftNanos;
  boolean leaving;
  boolean crashed;
  boolean leads;
  long leaseUntilNanos = Lease.NEVER;
  long lastViewNumber = -1;
  long pausedUntilNanos;
  int images;

  SimulatedNode(Simulation simulation, Member member, Terms terms, SplitPolicy split) {
    this.simulation = simulation;
    this.member = member;
    this.bulletin = new Bulletin((to, notice) -> simulation.tell(this, to, (TableNotice) notice));
    this.clockNanos = simulation.random.nextLong() >> 8;
    LedgerSettings settings = LedgerSettings.of(member, terms.losing(simulation.lost), split);
    Random random = new Random(simulation.random.nextLong());
    ledger =
        new Ledger(
            simulation.movesSegments ? settings.movingSegments() : settings,
            simulation.placement,
            random,
            this);
  }

  NodeId id() {
    return member.id();
  }

  boolean isUp() {
    return !crashed && refusal == null && !hasLeft;
  }

  /** Its own clock. */
  long nowNanos() {
    return simulation.nowNanos() + clockNanos;
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
  public void install(SegmentTable next, TableDelta delta) {
    if (crashed) {
      return;
    }
    assertThat(isUp()).as("only a node that is up installs").isTrue();
    images += delta == null ? 1 : 0;
    if (table != null) {
      assertThat(next.epoch()).as("epochs grow").isGreaterThan(table.epoch());
      if (delta != null) {
        assertThat(table.apply(delta)).as("the delta makes the table").isEqualTo(next);
      }
      if (table.sealed()) {
        assertThat(next.header().seal()).as("a seal stays").isEqualTo(table.header().seal());
        assertThat(next.hashSeed()).isEqualTo(table.hashSeed());
      }
    }
    if (!leaving) {
      assertThat(next.member(id())).as("a node is a member of its table").isNotNull();
    }
    simulation.oracle.installed(this, table, next, delta);
    table = next;
    bulletin.installed(next, delta);
  }

  /** Another node tells of a table on a connection of its own. */
  void noticed(NodeId from, TableNotice notice) {
    if (table == null) {
      return;
    }
    if (notice.epoch() < table.epoch()) {
      bulletin.outdated(from, notice.epoch());
    } else if (!ledger.noticed(notice, nowNanos())) {
      bulletin.behind(from);
    }
  }

  @Override
  public void lease(long untilNanos) {
    leaseUntilNanos = untilNanos;
    simulation.oracle.leased(this);
  }

  @Override
  public void leading(boolean leadsNow) {
    assertThat(leadsNow).isNotEqualTo(leads);
    leads = leadsNow;
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
