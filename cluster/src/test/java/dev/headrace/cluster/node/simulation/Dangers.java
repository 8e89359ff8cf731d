package dev.headrace.cluster.node.simulation;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What may fail without breaking a promise: of the owners of an epoch one must stay, and of the
 * data nodes a quorum. Where more fails on purpose, it knows what may be lost by it.
 *
 * <p>Former owners count for some seconds: those that follow them may still have to hear from them.
 */
public final class Dangers {
  private static final long PROTECTED_NANOS = 7_000 * SimulatedTime.MILLI;

  private final World world;
  private final List<Deque<Row>> rows = new ArrayList<>();
  private final Set<NodeId> atRisk = new HashSet<>();
  private final Set<NodeId> leaving = new HashSet<>();
  private final Map<Long, Long> stamps = new HashMap<>();
  private final BitSet mayBeLost = new BitSet();
  private @Nullable SegmentTable newest;
  private Consumer<SimulatedNode> onExclusion = node -> {};
  private Consumer<BitSet> onLoss = segments -> {};

  /** The owners of a segment, and since when others have its place. */
  private static final class Row {
    final List<NodeId> owners;
    long supersededNanos = Long.MAX_VALUE;

    Row(List<NodeId> owners) {
      this.owners = owners;
    }
  }

  Dangers(World world) {
    this.world = world;
  }

  void onExclusion(Consumer<SimulatedNode> action) {
    onExclusion = action;
  }

  void onLoss(Consumer<BitSet> action) {
    onLoss = action;
  }

  /** The segments whose content may have been lost with all owners. */
  public BitSet mayBeLost() {
    return mayBeLost;
  }

  // ---- What happens

  void installed(SegmentTable table) {
    Long stamp = stamps.putIfAbsent(table.epoch(), table.stamp());
    world.check(stamp == null || stamp == table.stamp(), "there are two tables of one epoch");
    SegmentTable before = newest;
    if (!table.sealed() || (before != null && before.epoch() >= table.epoch())) {
      return;
    }
    newest = table;
    for (int segment = 0; segment < table.segments(); segment++) {
      if (rows.size() <= segment) {
        rows.add(new ArrayDeque<>());
      }
      if (before != null) {
        checkReplicas(segment, before, table);
      }
      if (before == null || before.segmentEpoch(segment) != table.segmentEpoch(segment)) {
        follow(rows.get(segment), table.owners(segment));
      }
      int number = segment;
      world.check(
          table.incarnation(segment) == 0 || mayBeLost.get(segment),
          () -> "segment " + number + " was given up, although an owner was left");
    }
  }

  /** No replica that is there is given up before another one has taken its place. */
  private void checkReplicas(int segment, SegmentTable before, SegmentTable table) {
    long data =
        table.members().stream()
            .filter(member -> member.holdsSegments() && !leaving.contains(member.id()))
            .count();
    // A leaver may hand over to fewer, by a plan from before the latest join.
    long living =
        before.owners(segment).stream()
            .filter(owner -> table.member(owner) != null && !leaving.contains(owner))
            .count();
    // A move may have come in between, and its destination may be one of those that are gone.
    long gone =
        before.members().stream().filter(member -> table.member(member.id()) == null).count();
    long least = Math.min(living - gone, Math.min(table.configuredOwners(), data));
    world.check(
        table.ownerCount(segment) >= least,
        () ->
            "segment "
                + segment
                + " went from owners "
                + before.owners(segment)
                + " to "
                + table.owners(segment));
  }

  private void follow(Deque<Row> of, List<NodeId> owners) {
    long now = world.time.nanoTime();
    of.removeIf(row -> now - row.supersededNanos > PROTECTED_NANOS);
    Row last = of.peekLast();
    if (last != null && last.owners.equals(owners)) {
      return;
    }
    if (last != null) {
      last.supersededNanos = now;
    }
    of.addLast(new Row(owners));
  }

  /** A node wants to leave in order. */
  void leaves(SimulatedNode node) {
    leaving.add(node.id);
  }

  boolean isLeaving(SimulatedNode node) {
    return leaving.contains(node.id);
  }

  void ended(SimulatedNode node, String reason) {
    if (leaving.contains(node.id)) {
      return;
    }
    boolean mayHappen = atRisk.contains(node.id) || !node.holdsSegments() || newest == null;
    world.check(mayHappen, () -> world.name(node) + " was given up without need: " + reason);
    onExclusion.accept(node);
  }

  // ---- What may happen

  /** These nodes may be given up by the others from now on, until they are safe again. */
  void endanger(Set<NodeId> nodes) {
    atRisk.addAll(nodes);
  }

  void relieve(Set<NodeId> nodes) {
    atRisk.removeAll(nodes);
  }

  boolean atRisk(SimulatedNode node) {
    return atRisk.contains(node.id);
  }

  /** Whether nothing acknowledged would be lost, and a quorum stay, if these nodes failed. */
  boolean canSpare(Set<NodeId> more) {
    Predicate<NodeId> left = this::isSafe;
    Predicate<NodeId> leftThen = id -> isSafe(id) && !more.contains(id);
    return canGoOnWithout(more) && !mayOwnAll(more) && wouldLose(left, leftThen).isEmpty();
  }

  /** Whether a quorum would stay if these nodes failed, and somebody who does not want to leave. */
  boolean canGoOnWithout(Set<NodeId> more) {
    Predicate<NodeId> then = id -> isSafe(id) && !more.contains(id);
    boolean anyStays =
        world.ready().stream()
            .anyMatch(node -> node.holdsSegments() && then.test(node.id) && !isLeaving(node));
    return anyStays && keepsQuorum(then);
  }

  /** These nodes are about to fail, whatever is lost by it. */
  BitSet lose(Set<NodeId> nodes) {
    BitSet lost = wouldLose(this::isSafe, id -> isSafe(id) && !nodes.contains(id));
    if (mayOwnAll(nodes)) {
      lost.set(0, rows.size());
    }
    mayBeLost.or(lost);
    onLoss.accept(lost);
    return lost;
  }

  /**
   * Whether some segment has no more owners than these nodes and those in danger: what is about to
   * be committed may give it to just them.
   */
  private boolean mayOwnAll(Set<NodeId> more) {
    SegmentTable table = newest;
    if (table == null) {
      return false;
    }
    long failing =
        table.members().stream()
            .filter(Member::holdsSegments)
            .filter(member -> more.contains(member.id()) || !isSafe(member.id()))
            .count();
    for (int segment = 0; segment < table.segments(); segment++) {
      if (table.ownerCount(segment) <= Math.max(failing, more.size())) {
        return true;
      }
    }
    return false;
  }

  private boolean isSafe(NodeId id) {
    SimulatedNode node = world.nodes.get(id);
    return node != null && node.alive && !atRisk.contains(id);
  }

  /** Of the present data nodes, and of those that stay when the leavers have gone. */
  private boolean keepsQuorum(Predicate<NodeId> left) {
    SegmentTable table = newest;
    if (table == null) {
      return true;
    }
    List<NodeId> voters =
        table.members().stream().filter(Member::holdsSegments).map(Member::id).toList();
    List<NodeId> staying = voters.stream().filter(voter -> !leaving.contains(voter)).toList();
    return isQuorum(voters, left) && isQuorum(staying, left);
  }

  private static boolean isQuorum(List<NodeId> voters, Predicate<NodeId> left) {
    long votes = voters.stream().filter(left).count();
    boolean half = votes * 2 == voters.size() && left.test(voters.get(0));
    return votes > 0 && (votes * 2 > voters.size() || half);
  }

  private BitSet wouldLose(Predicate<NodeId> now, Predicate<NodeId> then) {
    BitSet lost = new BitSet();
    long oldest = world.time.nanoTime() - PROTECTED_NANOS;
    for (int segment = 0; segment < rows.size(); segment++) {
      for (Row row : rows.get(segment)) {
        boolean counts = row.supersededNanos >= oldest;
        if (counts && row.owners.stream().anyMatch(now) && row.owners.stream().noneMatch(then)) {
          lost.set(segment);
        }
      }
    }
    return lost;
  }
}
