package dev.headrace.cluster.node.simulation;

import dev.headrace.api.LostSegments;
import dev.headrace.rebalance.agreement.ControlMessage;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.Appended;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What may fail without breaking a promise: of the owners of an epoch one must stay, and of the
 * data nodes a quorum. Where more fails on purpose, it knows what may be lost by it.
 *
 * <p>Owners are owners as soon as one of them has stored the table, in force or not; a table that
 * none of them has stored must not come in force. Former owners count for some seconds: those that
 * follow them may still have to hear from them.
 */
public final class Dangers {
  private static final long PROTECTED_NANOS = 7_000 * SimulatedTime.MILLI;

  private final World world;
  private final List<Deque<Row>> rows = new ArrayList<>();
  private final Set<NodeId> atRisk = new HashSet<>();
  private final Set<NodeId> leaving = new HashSet<>();
  private final Map<Long, Long> stamps = new HashMap<>();
  private final BitSet mayBeLost = new BitSet();
  private final Map<Integer, Long> lostSinceNanos = new HashMap<>();
  private final Lines lines = new Lines();
  private @Nullable SegmentTable newest;

  /**
   * Newer tables that somebody has stored, but of which nobody is known to follow one. They may be
   * in force by the votes of nodes that have failed since, so each has to have its quorum.
   */
  private final List<SegmentTable> proposed = new ArrayList<>();

  private Consumer<SimulatedNode> onExclusion = node -> {};
  private Consumer<BitSet> onLoss = segments -> {};
  private final BitSet unreachable = new BitSet();
  private LostSegments lostSegments = LostSegments.WAIT;
  private Consumer<BitSet> onFailure = segments -> {};

  /** The owners of a segment under a table and later ones, and since when others have its place. */
  private static final class Row {
    final long epoch;
    final List<NodeId> owners;
    long supersededNanos = Long.MAX_VALUE;

    Row(long epoch, List<NodeId> owners) {
      this.epoch = epoch;
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

  /** What becomes of segments whose owners are all gone. */
  void decideOnLost(LostSegments setting) {
    lostSegments = setting;
  }

  /**
   * Hears of segments whose primary may be followed by one that lacks what was not acknowledged.
   */
  void onFailure(Consumer<BitSet> action) {
    onFailure = action;
  }

  /** The segments whose content may have been lost with all owners. */
  public BitSet mayBeLost() {
    return mayBeLost;
  }

  /** When the content of a segment may have been lost for the first time; never if it was not. */
  public long mayBeLostSince(int segment) {
    return lostSinceNanos.getOrDefault(segment, Long.MAX_VALUE);
  }

  // ---- What happens

  /** A node says something, which tells what it has stored. */
  void sent(NodeId node, ControlMessage message) {
    if (message instanceof Append append) {
      lines.learn(append);
      List<TableDelta> deltas = append.deltas();
      if (!deltas.isEmpty()) {
        stored(node, deltas.get(deltas.size() - 1).epoch());
      }
    } else if (message instanceof Appended answer) {
      stored(node, answer.storedEpoch());
    }
  }

  private void stored(NodeId node, long epoch) {
    for (SegmentTable table : lines.storedFirst(node, epoch)) {
      SegmentTable present = newest;
      if (present != null && table.epoch() > present.epoch()) {
        proposed.add(table);
      }
      if (table.written() && present != null && table.epoch() > present.epoch()) {
        for (int segment = 0; segment < table.segments(); segment++) {
          boolean owner = table.isOwner(segment, node);
          if (owner && table.segmentEpoch(segment) == table.epoch()) {
            rows.get(segment).addLast(new Row(table.epoch(), table.owners(segment)));
            expose(segment, table.owners(segment));
          }
        }
      }
    }
  }

  void installed(SegmentTable table) {
    Long stamp = stamps.putIfAbsent(table.epoch(), table.stamp());
    world.check(stamp == null || stamp == table.stamp(), "there are two tables of one epoch");
    SegmentTable before = newest;
    if (!table.written() || (before != null && before.epoch() >= table.epoch())) {
      return;
    }
    newest = table;
    proposed.removeIf(each -> each.epoch() <= table.epoch());
    for (int segment = 0; segment < table.segments(); segment++) {
      if (rows.size() <= segment) {
        rows.add(new ArrayDeque<>());
      }
      if (before != null) {
        checkReplicas(segment, before, table);
      }
      if (before == null || before.segmentEpoch(segment) != table.segmentEpoch(segment)) {
        follow(rows.get(segment), table.epoch(), table.owners(segment));
        expectFailure(segment, table);
      }
      int number = segment;
      world.check(
          table.incarnation(segment) == 0 || mayBeLost.get(segment),
          () ->
              "segment " + number + " began anew, although nobody may have lost it or given it up");
    }
  }

  /** A primary that is in danger when it takes over may be succeeded, too. */
  private void expectFailure(int segment, SegmentTable table) {
    if (table.ownerCount(segment) > 0 && !isSafe(table.owner(segment, 0))) {
      BitSet failed = new BitSet();
      failed.set(segment);
      onFailure.accept(failed);
    }
  }

  /** No replica that is there is given up before another one has taken its place. */
  private void checkReplicas(int segment, SegmentTable before, SegmentTable table) {
    long data = Math.min(staying(before), staying(table));
    long living =
        before.owners(segment).stream().filter(owner -> table.member(owner) != null).count();
    // A move may have come in between, and its destination may be one of those that are gone.
    long gone = gone(before, table);
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

  /**
   * Members that are none any more, or that have gone and come back since: members stand in the
   * order in which they joined, and whoever comes back owns nothing at first.
   */
  private static long gone(SegmentTable before, SegmentTable table) {
    List<NodeId> now = table.members().stream().map(Member::id).toList();
    List<NodeId> then = before.members().stream().map(Member::id).toList();
    long gone = 0;
    for (int rank = 0; rank < then.size(); rank++) {
      int place = now.indexOf(then.get(rank));
      boolean overtaken =
          then.subList(rank + 1, then.size()).stream()
              .mapToInt(now::indexOf)
              .anyMatch(other -> other >= 0 && other < place);
      boolean lastAndEmpty = rank == then.size() - 1 && table.replicas(then.get(rank)) == 0;
      gone += place < 0 || overtaken || lastAndEmpty ? 1 : 0;
    }
    return gone;
  }

  private long staying(SegmentTable table) {
    return table.members().stream()
        .filter(member -> member.holdsSegments() && !leaving.contains(member.id()))
        .count();
  }

  private void follow(Deque<Row> of, long epoch, List<NodeId> owners) {
    long now = world.time.nanoTime();
    of.removeIf(
        row ->
            row.supersededNanos != Long.MAX_VALUE && now - row.supersededNanos > PROTECTED_NANOS);
    boolean known = false;
    for (Row row : of) {
      boolean same = row.owners.equals(owners);
      known |= same && row.supersededNanos == Long.MAX_VALUE;
      if (!same && row.epoch <= epoch && row.supersededNanos == Long.MAX_VALUE) {
        row.supersededNanos = now;
      }
    }
    if (!known) {
      of.addLast(new Row(epoch, owners));
    }
  }

  /** Nodes that may be primaries may be succeeded from now on. */
  private void fail(Set<NodeId> nodes) {
    BitSet failed = new BitSet();
    for (int segment = 0; segment < rows.size(); segment++) {
      failed.set(segment, rows.get(segment).stream().anyMatch(row -> isLedBy(nodes, row)));
    }
    onFailure.accept(failed);
  }

  private static boolean isLedBy(Set<NodeId> nodes, Row row) {
    return !row.owners.isEmpty() && nodes.contains(row.owners.get(0));
  }

  /** A node stops. */
  void crashed(SimulatedNode node) {
    fail(Set.of(node.id));
  }

  /** Who is in danger already when it becomes an owner may take what it owns along. */
  private void expose(int segment, List<NodeId> owners) {
    if (owners.stream().noneMatch(this::isSafe)) {
      BitSet exposed = new BitSet();
      exposed.set(segment);
      missing(exposed, Set.copyOf(owners));
    }
  }

  /** A node wants to leave in order. */
  void leaves(SimulatedNode node) {
    leaving.add(node.id);
  }

  /** Whether a node does not leave already, and a quorum would be safe whoever has gone. */
  boolean mayLeave(SimulatedNode node) {
    Set<NodeId> leavers = new HashSet<>(leaving);
    leavers.add(node.id);
    return !isLeaving(node) && keepsQuorum(leavers, this::isSafe);
  }

  boolean isLeaving(SimulatedNode node) {
    return leaving.contains(node.id);
  }

  void ended(SimulatedNode node, String reason) {
    if (leaving.contains(node.id)) {
      return;
    }
    boolean mayHappen =
        atRisk.contains(node.id)
            || !node.holdsSegments()
            || newest == null
            || canBeMistaken(node.id);
    world.check(mayHappen, () -> world.name(node) + " was given up without need: " + reason);
    onExclusion.accept(node);
  }

  /**
   * Whether chance has given it an identity that the cluster must refuse: one of a million pairs.
   */
  private boolean canBeMistaken(NodeId id) {
    return world.nodes.keySet().stream()
        .anyMatch(other -> !other.equals(id) && Epoch.haveSameMark(id, other));
  }

  // ---- What may happen

  /** These nodes may be given up by the others from now on, until they are safe again. */
  void endanger(Set<NodeId> nodes) {
    atRisk.addAll(nodes);
    fail(nodes);
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
    return canGoOnWithout(more) && wouldLose(left, leftThen).isEmpty() && !isLast(more, leftThen);
  }

  /**
   * Whether these nodes own something of which no safe node would be left. That may be so already:
   * of two owners that do not reach each other the others give up one, and the other one counts.
   */
  private boolean isLast(Set<NodeId> nodes, Predicate<NodeId> left) {
    return rows.stream()
        .flatMap(Deque::stream)
        .filter(this::counts)
        .anyMatch(
            row ->
                row.owners.stream().anyMatch(nodes::contains)
                    && row.owners.stream().noneMatch(left));
  }

  private boolean counts(Row row) {
    return row.supersededNanos >= world.time.nanoTime() - PROTECTED_NANOS;
  }

  /** Whether a quorum would stay if these nodes failed, and somebody who does not want to leave. */
  boolean canGoOnWithout(Set<NodeId> more) {
    Predicate<NodeId> then = id -> isSafe(id) && !more.contains(id);
    boolean anyStays =
        world.ready().stream()
            .anyMatch(node -> node.holdsSegments() && then.test(node.id) && !isLeaving(node));
    return anyStays && keepsQuorum(then);
  }

  /** The segments of which only these nodes have everything that was acknowledged. */
  BitSet unreachableWithout(Set<NodeId> nodes) {
    return wouldLose(this::isSafe, id -> isSafe(id) && !nodes.contains(id));
  }

  /** Whether only this node owns some segment, by the newest table. */
  boolean ownsAlone(NodeId id) {
    SegmentTable table = newest;
    return table != null
        && IntStream.range(0, table.segments())
            .anyMatch(segment -> table.owners(segment).equals(List.of(id)));
  }

  /** Whether a node owns something in the newest table. */
  boolean owns(NodeId id) {
    SegmentTable table = newest;
    return table != null && table.replicas(id) > 0;
  }

  /** Whether both nodes count as owners of a segment, under one table or another. */
  boolean isShared(int segment, NodeId one, NodeId other) {
    return isOwned(segment, one) && isOwned(segment, other);
  }

  private boolean isOwned(int segment, NodeId id) {
    return rows.get(segment).stream().anyMatch(row -> row.owners.contains(id));
  }

  /** Whether a segment has had so many owners since a time, under some table. */
  public boolean hadOwners(int segment, int count, long sinceNanos) {
    return rows.get(segment).stream()
        .anyMatch(row -> row.owners.size() >= count && row.supersededNanos >= sinceNanos);
  }

  /** These nodes are about to fail, whatever is lost by it. */
  BitSet lose(Set<NodeId> nodes) {
    BitSet lost = wouldLose(this::isSafe, id -> isSafe(id) && !nodes.contains(id));
    missing(lost, nodes);
    return lost;
  }

  /** Only these nodes have some segments: what that means is a matter of the setting. */
  private void missing(BitSet segments, Set<NodeId> holders) {
    Duration after = lostSegments.recreateAfter();
    unreachable.or(segments);
    if (after == null) {
      world.letStreamsFail();
    } else if (after.isZero()) {
      markLost(segments);
    } else {
      world.letStreamsFail();
      // Clocks run at different speeds, but not by a thousandth.
      world.time.schedule(
          after.toNanos() / 1000 * 999,
          () -> {
            if (holders.stream().noneMatch(this::isSafe)) {
              markLost(segments);
            }
          });
    }
  }

  /** The segments that somebody may have had to give up. */
  BitSet unreachable() {
    return unreachable;
  }

  /** Somebody gives segments up: from now on what they hold may be gone. */
  void givenUp(Set<Integer> segments) {
    BitSet lost = new BitSet();
    segments.forEach(lost::set);
    markLost(lost);
  }

  private void markLost(BitSet lost) {
    mayBeLost.or(lost);
    lost.stream().forEach(segment -> lostSinceNanos.putIfAbsent(segment, world.time.nanoTime()));
    onLoss.accept(lost);
  }

  private boolean isSafe(NodeId id) {
    SimulatedNode node = world.nodes.get(id);
    return node != null && node.alive && !atRisk.contains(id);
  }

  private boolean keepsQuorum(Predicate<NodeId> left) {
    return keepsQuorum(leaving, left);
  }

  private boolean keepsQuorum(Set<NodeId> leavers, Predicate<NodeId> left) {
    SegmentTable followed = followed(left);
    return (newest == null || keepsQuorum(newest, leavers, left))
        && (followed == null || keepsQuorum(followed, leavers, left))
        && proposed.stream().allMatch(table -> keepsQuorum(table, leavers, left));
  }

  /** The newest table of which some of these nodes know that it is in force. */
  private @Nullable SegmentTable followed(Predicate<NodeId> nodes) {
    return world.living().stream()
        .filter(node -> nodes.test(node.id))
        .map(node -> node.engine.table())
        .filter(table -> table != null && newest != null && table.written())
        .filter(table -> table.clusterId() == newest.clusterId())
        .max(Comparator.comparingLong(SegmentTable::epoch))
        .orElse(null);
  }

  /** Of the present data nodes, and of those that stay whichever of the leavers have gone. */
  private static boolean keepsQuorum(
      SegmentTable table, Set<NodeId> leavers, Predicate<NodeId> left) {
    List<NodeId> voters = table.dataNodes();
    List<NodeId> goers = voters.stream().filter(leavers::contains).toList();
    return IntStream.range(0, 1 << goers.size())
        .mapToObj(gone -> without(voters, goers, gone))
        .allMatch(staying -> isQuorum(staying, left));
  }

  /** Those that are left when some have gone: a bit for each that may go. */
  private static List<NodeId> without(List<NodeId> voters, List<NodeId> goers, int gone) {
    return voters.stream()
        .filter(voter -> !goers.contains(voter) || (gone >> goers.indexOf(voter) & 1) == 0)
        .toList();
  }

  private static boolean isQuorum(List<NodeId> voters, Predicate<NodeId> left) {
    long votes = voters.stream().filter(left).count();
    boolean half = votes * 2 == voters.size() && left.test(voters.get(0));
    return votes > 0 && (votes * 2 > voters.size() || half);
  }

  private BitSet wouldLose(Predicate<NodeId> now, Predicate<NodeId> then) {
    BitSet lost = new BitSet();
    for (int segment = 0; segment < rows.size(); segment++) {
      for (Row row : rows.get(segment)) {
        if (counts(row)
            && row.owners.stream().anyMatch(now)
            && row.owners.stream().noneMatch(then)) {
          lost.set(segment);
        }
      }
    }
    return lost;
  }
}
