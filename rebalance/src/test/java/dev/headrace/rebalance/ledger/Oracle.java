package dev.headrace.rebalance.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sees everything that comes into force anywhere, and knows what must hold:
 *
 * <ul>
 *   <li>one epoch is one table, with one stamp;
 *   <li>where a quorum decides, the tables of a seal that are ever in force form one line: each new
 *       one was made from the one that was the newest in force until then, so that none is lost;
 *   <li>a node that does not know a table in which it lost a segment has no lease any more when two
 *       leases have passed since that table was in force anywhere: from then on a successor serves.
 * </ul>
 */
final class Oracle {

  private final Simulation simulation;
  private final Map<Long, SegmentTable> tables = new HashMap<>();

  /** For each seal the newest table that is in force anywhere. */
  private final Map<Long, SegmentTable> heads = new HashMap<>();

  /** For each node the tables in which it lost segments. */
  private final Map<NodeId, List<Loss>> losses = new HashMap<>();

  private record Loss(long epoch, long seal, long atNanos) {}

  /** How many tables of one seal came into force. */
  int steps;

  /** How many of them were made by another convener than the one before. */
  int successions;

  Oracle(Simulation simulation) {
    this.simulation = simulation;
  }

  /** The newest table in force of a seal. */
  SegmentTable head(long seal) {
    return heads.get(seal);
  }

  void installed(SimulatedNode node, SegmentTable before, SegmentTable next, TableDelta delta) {
    SegmentTable known = tables.putIfAbsent(next.epoch(), next);
    if (known != null) {
      assertThat(next).as("one table of one epoch").isEqualTo(known);
      assertThat(next.stamp()).isEqualTo(known.stamp());
      return;
    }
    if (!next.sealed()) {
      checkPlaced(next);
      return;
    }
    long seal = next.header().seal();
    SegmentTable head = heads.get(seal);
    if (head != null && head.descendsFrom(next.epoch())) {
      // A convener that was no member of it had stepped over it.
      return;
    }
    heads.put(seal, next);
    if (head == null) {
      return;
    }
    steps++;
    successions += Epoch.term(head.epoch()) == Epoch.term(next.epoch()) ? 0 : 1;
    if (simulation.split == SplitPolicy.DENY) {
      assertThat(next.descendsFrom(head.epoch()))
          .as("%s by %s was made from %s", next, delta, head)
          .isTrue();
      note(head, next);
    }
  }

  private static void checkPlaced(SegmentTable next) {
    long holders = next.members().stream().filter(Member::holdsSegments).count();
    for (int segment = 0; segment < next.segments(); segment++) {
      assertThat(next.ownerCount(segment))
          .isEqualTo((int) Math.min(next.configuredOwners(), holders));
    }
  }

  private void note(SegmentTable before, SegmentTable next) {
    for (Member member : before.members()) {
      boolean loses = false;
      for (int segment = 0; segment < next.segments() && !loses; segment++) {
        loses = before.isOwner(segment, member.id()) && !next.isOwner(segment, member.id());
      }
      if (loses) {
        losses
            .computeIfAbsent(member.id(), id -> new ArrayList<>())
            .add(new Loss(next.epoch(), next.header().seal(), simulation.nowNanos()));
        leased(simulation.node(member.id()));
      }
    }
  }

  /** A node has another lease than before. */
  void leased(SimulatedNode node) {
    boolean bound =
        simulation.split == SplitPolicy.DENY
            && node.isUp()
            && node.leaseUntilNanos != Lease.NEVER
            && node.leaseUntilNanos != Lease.ALWAYS;
    if (!bound || node.table == null) {
      return;
    }
    long untilNanos = node.leaseUntilNanos - node.clockNanos;
    for (Loss loss : losses.getOrDefault(node.id(), List.of())) {
      if (loss.seal == node.table.header().seal() && node.table.epoch() < loss.epoch) {
        assertThat(untilNanos)
            .as("the lease of %s, which does not know %s", node, Epoch.toString(loss.epoch))
            .isLessThanOrEqualTo(loss.atNanos + 2 * LedgerSettings.LEASE_NANOS);
      }
    }
  }
}
