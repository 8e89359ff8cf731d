package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.publish.Quorum;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks what must hold of all tables that come into force anywhere:
 *
 * <ul>
 *   <li>one epoch is one table, with one stamp;
 *   <li>where a quorum decides, the tables of a first write that are ever in force form one line:
 *       each new one was made from the one that was the newest in force until then, so that none is
 *       lost;
 *   <li>a node that does not know a table in which it lost a segment has no lease any more when two
 *       leases have passed, by the fastest clock, since that table was in force anywhere: from then
 *       on a successor serves;
 *   <li>a segment whose owners are all out of reach keeps what they hold: nobody else comes to own
 *       it, it is not begun anew, and they own it as soon as one of them is a member again;
 *   <li>no table with data nodes follows one that the last of them have left in order: there are no
 *       voters that could tell which of two counts;
 *   <li>unless somebody moves a segment, it goes only to those who held it before, and past those
 *       who held it after them only if no quorum has acted upon what made them its holders.
 * </ul>
 */
final class Invariants {

  /** For how long a successor waits, by the fastest clock. */
  private static final long SHORTEST_WAIT_NANOS =
      (long) (2 * AgreementSettings.LEASE_NANOS / (1 + AgreementNode.MOST_DRIFT));

  private final Simulation simulation;
  private final Map<Long, SegmentTable> tables = new HashMap<>();

  /** Those that a coordinator has made or changed, in force or not. */
  private final TreeMap<Long, SegmentTable> changed = new TreeMap<>();

  /** For each first write the newest table that is in force anywhere. */
  private final Map<Long, SegmentTable> heads = new HashMap<>();

  /** For each node the tables in which it lost segments. */
  private final Map<NodeId, List<Loss>> losses = new HashMap<>();

  /** For each first write who holds the content of each segment: its owners, or the last it had. */
  private final Map<Long, List<Set<NodeId>>> holders = new HashMap<>();

  /** The tables that were in force, and who held what by them. */
  private final List<Past> past = new ArrayList<>();

  /** For each epoch the nodes that have acted upon its table, and since when. */
  private final TreeMap<Long, Map<NodeId, Long>> acted = new TreeMap<>();

  /** The epochs of tables under which somebody got a lease of a time when they were in force. */
  private final TreeSet<Long> leasedEpochs = new TreeSet<>();

  /** For each epoch the segments that were moved by its table. */
  private final TreeMap<Long, Set<Integer>> moved = new TreeMap<>();

  private record Past(SegmentTable table, List<Set<NodeId>> holders) {}

  private record Loss(long epoch, long firstWrite, long atNanos) {}

  /** The segments that somebody may give up. */
  final Set<Integer> givenUp = new HashSet<>();

  /** How often a segment had no owner because all were out of reach. */
  int waits;

  /** How often one that had none was taken back by those who hold it. */
  int returns;

  /** How many tables of one first write came into force. */
  int steps;

  /** How many of them were made by another coordinator than the one before. */
  int successions;

  Invariants(Simulation simulation) {
    this.simulation = simulation;
  }

  /** The newest table in force of a first write. */
  SegmentTable head(long firstWrite) {
    return heads.get(firstWrite);
  }

  void installed(AgreementNode node, SegmentTable before, SegmentTable next, TableDelta delta) {
    acted
        .computeIfAbsent(next.epoch(), none -> new HashMap<>())
        .putIfAbsent(node.id(), simulation.nowNanos());
    SegmentTable known = tables.putIfAbsent(next.epoch(), next);
    if (known != null && !next.written() && isOfAnotherCluster(known, next)) {
      // Two nodes that would be refused in one cluster found one each, alone.
      checkPlaced(next);
      return;
    }
    if (known != null) {
      assertThat(next).as("one table of one epoch").isEqualTo(known);
      assertThat(next.stamp()).isEqualTo(known.stamp());
      return;
    }
    if (!next.written()) {
      checkPlaced(next);
      return;
    }
    long firstWrite = next.header().firstWrite();
    SegmentTable head = heads.get(firstWrite);
    if (head != null && descends(head, next)) {
      // A coordinator that was no member of it had stepped over it.
      return;
    }
    heads.put(firstWrite, next);
    checkProtocol(head, next);
    if (head != null && head.hasEnded() && simulation.split == SplitPolicy.DENY) {
      assertThat(next.hasEnded()).as("%s by %s follows the last %s", next, delta, head).isTrue();
    }
    if (head == null || head.hasEnded()) {
      holders.put(firstWrite, owners(next));
      past.add(new Past(next, owners(next)));
      return;
    }
    steps++;
    successions += Epoch.ballot(head.epoch()) == Epoch.ballot(next.epoch()) ? 0 : 1;
    if (simulation.split == SplitPolicy.DENY) {
      assertThat(descends(next, head)).as("%s by %s was made from %s", next, delta, head).isTrue();
      note(head, next);
      if (simulation.lost.recreateAfter() == null) {
        checkHolders(head, next);
        past.add(new Past(next, List.copyOf(holders.get(firstWrite))));
      }
    }
  }

  /** Everybody understands what the table says that may be spoken; with data it never sinks. */
  private void checkProtocol(@Nullable SegmentTable head, SegmentTable next) {
    int protocol = next.header().protocol();
    assertThat(Stream.concat(next.members().stream(), next.absent().stream()))
        .as("speak version %s by %s", protocol, next)
        .allMatch(member -> member.versions().contains(protocol));
    if (head != null && head.written() && simulation.split == SplitPolicy.DENY) {
      assertThat(protocol).as("of %s", next).isGreaterThanOrEqualTo(head.header().protocol());
    }
  }

  private static boolean isOfAnotherCluster(SegmentTable one, SegmentTable other) {
    return one.header().clusterId() != other.header().clusterId();
  }

  /** A coordinator changes a table that need not be in force anywhere. */
  void changed(SegmentTable table, long epoch, @Nullable TableDelta delta) {
    changed.putIfAbsent(table.epoch(), table);
    if (delta != null) {
      moved.put(epoch, Arrays.stream(delta.changedSegments()).boxed().collect(Collectors.toSet()));
    }
  }

  /** A coordinator sends tables that need not be in force anywhere. */
  void sent(Append append) {
    if (append.image() != null) {
      changed.putIfAbsent(append.image().epoch(), append.image());
    }
    for (TableDelta delta : append.deltas()) {
      SegmentTable before = changed.getOrDefault(delta.fromEpoch(), tables.get(delta.fromEpoch()));
      if (before != null && !changed.containsKey(delta.epoch())) {
        changed.put(delta.epoch(), before.apply(delta));
      }
    }
  }

  private boolean isMoved(int segment, SegmentTable before, SegmentTable next) {
    return moved.subMap(before.epoch(), false, next.epoch(), true).values().stream()
        .anyMatch(segments -> segments.contains(segment));
  }

  /** Whether a table came about from another one; it remembers only the last steps itself. */
  private boolean descends(SegmentTable table, SegmentTable from) {
    if (table.epoch() <= from.epoch()) {
      return false;
    }
    return table.descendsFrom(from.epoch())
        || changed.subMap(from.epoch(), false, table.epoch(), false).values().stream()
            .filter(between -> table.descendsFrom(between.epoch()))
            .findFirst()
            .filter(earliest -> descends(earliest, from))
            .isPresent();
  }

  private static List<Set<NodeId>> owners(SegmentTable table) {
    List<Set<NodeId>> owners = new ArrayList<>();
    for (int segment = 0; segment < table.segments(); segment++) {
      owners.add(Set.copyOf(table.owners(segment)));
    }
    return owners;
  }

  private void checkHolders(SegmentTable before, SegmentTable next) {
    List<Set<NodeId>> held = holders.get(next.header().firstWrite());
    for (int segment = 0; segment < next.segments(); segment++) {
      Set<NodeId> owners = Set.copyOf(next.owners(segment));
      Set<NodeId> last = held.get(segment);
      boolean leaves =
          givenUp.contains(segment) || last.stream().allMatch(id -> simulation.node(id).leaving);
      if (owners.isEmpty() && !leaves) {
        // Who leaves does not come back, but whoever else held the segment does. A coordinator that
        // has not heard that a node wants to leave waits for that one, too: it may still be there,
        // and may be taken once more, without what it had, before it goes.
        List<NodeId> awaited = next.awaited(segment).stream().map(Member::id).toList();
        assertThat(last).as("hold segment %s", segment).containsAll(awaited);
        List<NodeId> staying = last.stream().filter(id -> !simulation.node(id).leaving).toList();
        if (awaitsOwnersBetween(segment, awaited, before, next)) {
          held.set(segment, Set.copyOf(awaited));
        } else {
          assertThat(awaited).as("for whom segment %s waits", segment).containsAll(staying);
        }
        assertThat(staying)
            .as("of segment %s of %s", segment, next)
            .allMatch(id -> next.member(id) == null);
        waits += before.owners(segment).isEmpty() ? 0 : 1;
      } else if (!leaves && !isMoved(segment, before, next)) {
        assertThat(last.containsAll(owners) || heldBefore(segment, owners, next))
            .as("%s, that %s have segment %s of %s", last, owners, segment, next)
            .isTrue();
        returns += before.owners(segment).isEmpty() ? 1 : 0;
      }
      if (!leaves) {
        assertThat(next.incarnation(segment))
            .as("segment %s of %s", segment, next)
            .isEqualTo(before.incarnation(segment));
      }
      if (!owners.isEmpty()) {
        held.set(segment, owners);
      }
    }
  }

  /** Nobody misbehaves any more: what anybody has who is up is owned by somebody. */
  void checkNothingWaitsForTheLiving(long firstWrite) {
    SegmentTable head = heads.get(firstWrite);
    List<Set<NodeId>> held = holders.get(firstWrite);
    for (int segment : head.waitingSegments()) {
      for (NodeId holder : held.get(segment)) {
        AgreementNode node = simulation.node(holder);
        assertThat(node.isUp())
            .as("%s, for which segment %s waits, is up", node, segment)
            .isFalse();
      }
    }
  }

  /**
   * Whether somebody held a segment by a table that was in force, or by one that came into force
   * only together with a later one, and of those in force since then a quorum had acted upon none
   * before this moment, or nobody had a lease meanwhile: so nobody may have acknowledged anything
   * without those that such a table has taken out.
   */
  private boolean heldBefore(int segment, Set<NodeId> owners, SegmentTable next) {
    long sinceEpoch = next.epoch();
    for (int i = past.size() - 1; i >= 0; i--) {
      SegmentTable table = past.get(i).table;
      if (table.header().firstWrite() == next.header().firstWrite()) {
        if (past.get(i).holders.get(segment).containsAll(owners)
            || heldBetween(segment, owners, table.epoch(), sinceEpoch, next)) {
          return true;
        }
        boolean actedUpon = new Quorum(SplitPolicy.DENY, actedUpon(table)).permits(table);
        if (actedUpon && isLeased(table, next)) {
          return false;
        }
        sinceEpoch = table.epoch();
      }
    }
    return heldBetween(segment, owners, 0, sinceEpoch, next);
  }

  /**
   * Whether somebody held a segment by a table that another step followed before it was in force.
   */
  private boolean heldBetween(
      int segment, Set<NodeId> owners, long afterEpoch, long beforeEpoch, SegmentTable next) {
    return changed.subMap(afterEpoch, false, beforeEpoch, false).values().stream()
        .filter(table -> table.header().firstWrite() == next.header().firstWrite())
        .filter(table -> descends(next, table))
        .anyMatch(table -> table.owners(segment).containsAll(owners));
  }

  /**
   * Whether a segment waits for those who owned it by a table that has come into force together
   * with the one by which it waits. They have everything, whether they have served alone or not;
   * those that it had taken out have not, if they have.
   */
  private boolean awaitsOwnersBetween(
      int segment, List<NodeId> awaited, SegmentTable before, SegmentTable next) {
    return changed.subMap(before.epoch(), false, next.epoch(), false).values().stream()
        .filter(table -> table.ownerCount(segment) > 0 && descends(next, table))
        .anyMatch(table -> awaited.containsAll(table.owners(segment)));
  }

  /** Whether anybody had a lease under a table, or under one that followed it before another. */
  private boolean isLeased(SegmentTable table, SegmentTable next) {
    return leasedEpochs.subSet(table.epoch(), next.epoch()).stream()
        .map(tables::get)
        .anyMatch(between -> between.header().firstWrite() == next.header().firstWrite());
  }

  /**
   * Who had acted upon a table, or upon a later one, before this moment. Tables that come into
   * force at the same moment as a later one do so for nobody.
   */
  private Set<NodeId> actedUpon(SegmentTable table) {
    Set<NodeId> nodes = new HashSet<>();
    for (Map<NodeId, Long> since : acted.tailMap(table.epoch()).values()) {
      since.forEach(
          (node, nanos) -> {
            if (nanos < simulation.nowNanos()) {
              nodes.add(node);
            }
          });
    }
    return nodes;
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
            .add(new Loss(next.epoch(), next.header().firstWrite(), simulation.nowNanos()));
        leased(simulation.node(member.id()));
      }
    }
  }

  /** A node has another lease than before. */
  void leased(AgreementNode node) {
    boolean bound =
        simulation.split == SplitPolicy.DENY
            && node.isUp()
            && node.leaseUntilNanos != Lease.NEVER
            && node.leaseUntilNanos != Lease.ALWAYS;
    if (!bound || node.table == null) {
      return;
    }
    long untilNanos = node.simulatedNanos(node.leaseUntilNanos);
    long fromNanos = node.simulatedNanos(node.leaseUntilNanos - AgreementSettings.LEASE_NANOS);
    Collection<Long> sinceNanos = acted.getOrDefault(node.table.epoch(), Map.of()).values();
    if (sinceNanos.stream().anyMatch(nanos -> nanos < fromNanos)) {
      leasedEpochs.add(node.table.epoch());
    }
    for (Loss loss : losses.getOrDefault(node.id(), List.of())) {
      if (loss.firstWrite == node.table.header().firstWrite() && node.table.epoch() < loss.epoch) {
        assertThat(untilNanos)
            .as("the lease of %s, which does not know %s", node, Epoch.toString(loss.epoch))
            .isLessThanOrEqualTo(loss.atNanos + SHORTEST_WAIT_NANOS);
      }
    }
  }
}
