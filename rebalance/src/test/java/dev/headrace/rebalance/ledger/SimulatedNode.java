package dev.headrace.rebalance.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A node of a {@link Simulation}: a ledger, and checks of everything that it does. */
final class SimulatedNode implements LedgerEffects {

  final Member member;
  final Ledger ledger;
  final List<String> warnings = new ArrayList<>();
  private final Simulation simulation;

  MemberView view = new MemberView(0, List.of());
  SegmentTable table;
  String refusal;
  boolean hasLeft;
  boolean leaving;
  boolean crashed;
  boolean suspended;
  long lastViewNumber = -1;

  SimulatedNode(Simulation simulation, Member member, Terms terms, SplitPolicy split) {
    this.simulation = simulation;
    this.member = member;
    LedgerSettings settings =
        new LedgerSettings(member, terms, split, TimeUnit.MILLISECONDS.toNanos(100));
    Random random = new Random(simulation.random.nextLong());
    ledger = new Ledger(settings, new WeightedRendezvous(), random, this);
  }

  NodeId id() {
    return member.id();
  }

  boolean isUp() {
    return !crashed && refusal == null && !hasLeft;
  }

  @Override
  public void send(NodeId to, ControlMessage message) {
    assertThat(isUp()).as("only a node that is up sends").isTrue();
    simulation.send(this, to, message);
  }

  @Override
  public void install(SegmentTable next) {
    assertThat(isUp()).as("only a node that is up installs").isTrue();
    if (table != null) {
      assertThat(next.epoch()).as("epochs grow").isGreaterThan(table.epoch());
      if (table.sealed()) {
        assertThat(next.header().seal()).as("a seal stays").isEqualTo(table.header().seal());
        assertThat(next.hashSeed()).isEqualTo(table.hashSeed());
        checkOwners(next);
      }
    }
    if (!leaving) {
      assertThat(next.member(id())).as("a node is a member of its table").isNotNull();
    }
    simulation.installed(this, table, next);
    table = next;
  }

  /** What this node holds by its table it must be able to hold by the next one. */
  private void checkOwners(SegmentTable next) {
    for (int segment = 0; member.holdsSegments() && segment < next.segments(); segment++) {
      assertThat(table.owners(segment))
          .as("no node gets a segment that it did not have at %s", this)
          .containsAll(next.owners(segment));
    }
  }

  @Override
  public void refused(String reason) {
    refusal = reason;
    simulation.ended(this);
  }

  @Override
  public void left() {
    hasLeft = true;
    simulation.ended(this);
  }

  @Override
  public void suspended(String reason) {
    assertThat(suspended).isFalse();
    suspended = true;
  }

  @Override
  public void resumed() {
    assertThat(suspended).isTrue();
    suspended = false;
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
