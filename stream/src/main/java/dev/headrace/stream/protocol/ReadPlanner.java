package dev.headrace.stream.protocol;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership.View;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides which node reads which segment: this node if it owns the segment, else the owner to which
 * the fewest segments are assigned.
 *
 * <p>The states of one segment:
 *
 * <pre>
 * state    event        guard                           next     effects
 * (none)   assign       an owner is left to try         queued   it joins that node's queue
 * (none)   assign       no owner, or begun anew since   lost     the machine is told
 * queued   refused      an owner is left to try         queued   at another owner
 * queued   refused      none is left to try             waiting  for a newer epoch, or 10 ms to 1 s
 * queued   refused      none for 60 s                   lost     the machine is told
 * queued   changeView   its node is no owner any more   queued   at another owner, at its cursor
 * waiting  changeView                                   queued   all owners may be tried again
 * waiting  retry        its pause is over               queued   the same
 * queued   progressed                                   queued   earlier refusals are forgotten
 * </pre>
 *
 * <p>The machine takes a segment out of its queue when all of it was received. A request names the
 * first segments of a queue; they stay there while it is in flight. Pure; owned by the drain.
 */
final class ReadPlanner {

  /**
   * The first pause before all owners of a segment are tried again. Each pause is twice as long as
   * the one before.
   */
  static final long FIRST_PAUSE_NANOS = 10_000_000L;

  /** The longest pause. */
  static final long LAST_PAUSE_NANOS = 1_000_000_000L;

  /** A segment that could not be read for this long, without any progress, is lost. */
  static final long STALL_LIMIT_NANOS = 60_000_000_000L;

  /**
   * The most that one attempt counts towards this limit: a segment must not be lost only because
   * the consumer was away when an attempt failed.
   */
  static final long MAX_ATTEMPT_NANOS = 10_000_000_000L;

  /** Owners from this index on are not tried. No cluster keeps as many replicas. */
  private static final int MAX_OWNERS_TRIED = 64;

  /** What the planner tells the machine. */
  interface Effects {

    /** A segment can no longer be read. */
    void lost(int segment, String why, @Nullable Throwable cause);

    /** Some segment has to wait for a newer epoch, or until this moment. */
    void pause(long epoch, long untilNanos);
  }

  private final NodeId self;
  private final Progress progress;
  private final Effects effects;
  private final List<NodeRead> nodes = new ArrayList<>();
  private final Map<NodeId, NodeRead> nodesById = new HashMap<>();
  private final Map<Integer, Trouble> troubles = new HashMap<>();
  private View view;

  /** What was tried for a segment since it last made progress. */
  private static final class Trouble {
    long epoch;
    long triedOwners;
    long pauseNanos = FIRST_PAUSE_NANOS;

    /** The sum of the pauses and of the attempts between them. */
    long stalledNanos;

    final long sinceNanos;
    long attemptedAtNanos;
    long untilNanos;
    boolean waiting;
    @Nullable Throwable cause;

    Trouble(long nowNanos) {
      sinceNanos = nowNanos;
      attemptedAtNanos = nowNanos;
    }
  }

  ReadPlanner(NodeId self, View view, Progress progress, Effects effects) {
    this.self = self;
    this.view = view;
    this.progress = progress;
    this.effects = effects;
  }

  View view() {
    return view;
  }

  /** All nodes to which segments were ever assigned, in that order. */
  List<NodeRead> nodes() {
    return nodes;
  }

  /** Why a segment cannot be read under the present view, or null if it can. */
  @Nullable String unreadable(int segment) {
    int incarnation = view.incarnation(segment);
    if (incarnation != progress.incarnation(segment)) {
      return "segment "
          + segment
          + " was lost with all its owners and began anew (incarnation "
          + incarnation
          + ", the stream began with "
          + progress.incarnation(segment)
          + ")";
    }
    return view.ownerCount(segment) == 0
        ? "segment " + segment + " " + view.whyUnowned(segment)
        : null;
  }

  /** Assigns a segment to a node, or lets it wait, or declares it lost. */
  void assign(int segment, long nowNanos) {
    String why = unreadable(segment);
    if (why != null) {
      effects.lost(segment, why, null);
      return;
    }
    Trouble trouble = troubles.get(segment);
    if (trouble != null && trouble.epoch != view.epoch()) {
      trouble.epoch = view.epoch();
      trouble.triedOwners = 0;
    }
    NodeRead chosen = choose(segment, trouble == null ? 0 : trouble.triedOwners);
    if (trouble != null) {
      trouble.attemptedAtNanos = nowNanos;
    }
    if (chosen != null) {
      chosen.queue.addLast(segment);
    } else if (trouble != null) {
      pause(segment, trouble, nowNanos);
    }
  }

  private @Nullable NodeRead choose(int segment, long triedOwners) {
    NodeRead best = null;
    int count = Math.min(view.ownerCount(segment), MAX_OWNERS_TRIED);
    for (int i = 0; i < count; i++) {
      if ((triedOwners & 1L << i) != 0) {
        continue;
      }
      NodeRead candidate = node(view.owner(segment, i));
      if (candidate.local) {
        return candidate;
      }
      if (best == null || candidate.queue.size() < best.queue.size()) {
        best = candidate;
      }
    }
    return best;
  }

  private NodeRead node(NodeId id) {
    NodeRead known = nodesById.get(id);
    if (known == null) {
      known = new NodeRead(id, id.equals(self));
      nodesById.put(id, known);
      nodes.add(known);
    }
    return known;
  }

  private void pause(int segment, Trouble trouble, long nowNanos) {
    if (trouble.stalledNanos >= STALL_LIMIT_NANOS) {
      effects.lost(
          segment,
          "segment "
              + segment
              + " could not be read from any of its owners for "
              + (nowNanos - trouble.sinceNanos) / 1_000_000_000L
              + " s",
          trouble.cause);
      return;
    }
    trouble.waiting = true;
    trouble.untilNanos = nowNanos + trouble.pauseNanos;
    trouble.stalledNanos += trouble.pauseNanos;
    trouble.pauseNanos = Math.min(2 * trouble.pauseNanos, LAST_PAUSE_NANOS);
    effects.pause(view.epoch(), trouble.untilNanos);
  }

  /** A node did not serve a segment that it was asked for: assigns it again. */
  void refused(int segment, NodeRead by, @Nullable Throwable cause, long nowNanos) {
    Trouble trouble = troubles.computeIfAbsent(segment, s -> new Trouble(nowNanos));
    trouble.stalledNanos += Math.min(nowNanos - trouble.attemptedAtNanos, MAX_ATTEMPT_NANOS);
    tryOthers(segment, trouble, by, cause, nowNanos);
  }

  private void tryOthers(
      int segment, Trouble trouble, NodeRead by, @Nullable Throwable cause, long nowNanos) {
    if (trouble.epoch != view.epoch()) {
      trouble.epoch = view.epoch();
      trouble.triedOwners = 0;
    }
    trouble.cause = cause == null ? trouble.cause : cause;
    int count = Math.min(view.ownerCount(segment), MAX_OWNERS_TRIED);
    for (int i = 0; i < count; i++) {
      if (view.owner(segment, i).equals(by.node)) {
        trouble.triedOwners |= 1L << i;
      }
    }
    assign(segment, nowNanos);
  }

  /** A node does not answer: assigns each of its segments again. */
  void failed(NodeRead node, @Nullable Throwable cause, long nowNanos) {
    node.nextEntryBytes = 0;
    for (int segment : node.queue.removeFrom(0)) {
      refused(segment, node, cause, nowNanos);
    }
  }

  /**
   * A node is late with the first segments of its queue: asks other owners for them. That is no
   * reason to give a segment up. The node keeps the rest, for which it was not asked yet.
   */
  void late(NodeRead node, int segments, long nowNanos) {
    int[] queued = node.queue.removeFrom(0);
    for (int i = segments; i < queued.length; i++) {
      node.queue.addLast(queued[i]);
    }
    for (int i = 0; i < segments; i++) {
      Trouble trouble = troubles.computeIfAbsent(queued[i], s -> new Trouble(nowNanos));
      tryOthers(queued[i], trouble, node, null, nowNanos);
    }
  }

  /** Whether a segment can be asked for at an owner that was not tried, apart from a node. */
  private boolean hasAnotherOwner(int segment, NodeRead apartFrom) {
    Trouble trouble = troubles.get(segment);
    long tried = trouble == null || trouble.epoch != view.epoch() ? 0 : trouble.triedOwners;
    int count = Math.min(view.ownerCount(segment), MAX_OWNERS_TRIED);
    for (int i = 0; i < count; i++) {
      if ((tried & 1L << i) == 0 && !view.owner(segment, i).equals(apartFrom.node)) {
        return true;
      }
    }
    return false;
  }

  /** Whether all these segments have such an owner. */
  boolean haveOtherOwners(int[] segments, NodeRead apartFrom) {
    for (int segment : segments) {
      if (!hasAnotherOwner(segment, apartFrom)) {
        return false;
      }
    }
    return true;
  }

  /** Whether a node owns any of these segments. */
  static boolean ownsAny(View view, NodeId node, int[] segments) {
    for (int segment : segments) {
      for (int i = 0; i < view.ownerCount(segment); i++) {
        if (view.owner(segment, i).equals(node)) {
          return true;
        }
      }
    }
    return false;
  }

  /** A segment made progress: earlier refusals are forgotten. */
  void progressed(int segment) {
    if (!troubles.isEmpty()) {
      troubles.remove(segment);
    }
  }

  /** Adopts a newer view: takes queued segments from nodes that no longer own them. */
  void changeView(View newer, long nowNanos) {
    view = newer;
    for (int i = 0; i < nodes.size(); i++) { // Assigning may add nodes, which own their segments.
      NodeRead node = nodes.get(i);
      for (int segment : node.queue.removeFrom(node.segmentsInFlight())) {
        if (owns(node.node, segment)) {
          node.queue.addLast(segment);
        } else {
          assign(segment, nowNanos);
        }
      }
    }
    retry(nowNanos, true);
  }

  /** Assigns the segments again whose pause is over. */
  void retry(long nowNanos) {
    retry(nowNanos, false);
  }

  private void retry(long nowNanos, boolean all) {
    if (troubles.isEmpty()) {
      return;
    }
    BitSet due = new BitSet();
    for (Map.Entry<Integer, Trouble> entry : troubles.entrySet()) {
      Trouble trouble = entry.getValue();
      if (trouble.waiting && (all || trouble.untilNanos - nowNanos <= 0)) {
        trouble.waiting = false;
        trouble.triedOwners = 0;
        due.set(entry.getKey());
      } else if (trouble.waiting) {
        effects.pause(view.epoch(), trouble.untilNanos);
      }
    }
    for (int s = due.nextSetBit(0); s >= 0; s = due.nextSetBit(s + 1)) {
      assign(s, nowNanos);
    }
  }

  boolean owns(NodeId node, int segment) {
    for (int i = 0; i < view.ownerCount(segment); i++) {
      if (view.owner(segment, i).equals(node)) {
        return true;
      }
    }
    return false;
  }
}
