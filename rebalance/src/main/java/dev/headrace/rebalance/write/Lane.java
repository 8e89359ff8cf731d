package dev.headrace.rebalance.write;

import dev.headrace.rebalance.message.Chunk;
import dev.headrace.rebalance.message.History;
import dev.headrace.rebalance.message.HistoryRequest;
import dev.headrace.rebalance.message.Learned;
import dev.headrace.rebalance.message.Levelled;
import dev.headrace.rebalance.message.Operation;
import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.message.OperationReply.Outcome;
import dev.headrace.rebalance.message.Replicate;
import dev.headrace.rebalance.message.Replicated;
import dev.headrace.rebalance.message.Settled;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.write.fill.Learner;
import dev.headrace.rebalance.write.fill.RunningFill;
import dev.headrace.rebalance.write.history.LaneCache;
import dev.headrace.rebalance.write.history.LaneSettings;
import dev.headrace.rebalance.write.history.Letters;
import dev.headrace.rebalance.write.history.SegmentHistory;
import dev.headrace.rebalance.write.history.Turn;
import dev.headrace.rebalance.write.role.Backup;
import dev.headrace.rebalance.write.role.Former;
import dev.headrace.rebalance.write.role.Primary;
import dev.headrace.rebalance.write.role.Surroundings;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import org.jspecify.annotations.Nullable;

/**
 * The one-after-the-other order of one segment's mutations on one node: a pure machine, which takes
 * an event and leaves what is to be done in a {@link Turn}.
 *
 * <p>It checks what concerns all roles, above all that sender and receiver mean the same owners
 * (P7), and leaves the rest to the role that this node has: {@link Primary}, {@link Backup}, {@link
 * Learner} or {@link Former}, at most one of them. Not thread-safe: {@link Lanes} runs it under its
 * monitor.
 */
final class Lane {
  private final LaneCache cache;
  private final int segment;
  private final Surroundings around;
  private final LaneSettings settings;
  private final EarlyRequests early;
  private SegmentHistory history;
  private @Nullable Holdings holdings;
  private @Nullable Primary primary;
  private @Nullable Backup backup;
  private @Nullable Learner learner;
  private @Nullable Former former;
  private Cursor expiryCursor = Cursor.START;
  private boolean attended;

  Lane(LaneCache cache, int segment, Surroundings around) {
    this.cache = cache;
    this.segment = segment;
    this.around = around;
    this.settings = around.settings();
    this.early = new EarlyRequests(settings);
    this.history = new SegmentHistory(cache.store(), segment);
  }

  // ---- Ownership

  /** Brings the lane to the node's present table; does nothing if it is there. */
  void adopt(Holdings newer, Turn turn) {
    Holdings before = holdings;
    if (before == newer) {
      return;
    }
    holdings = newer;
    SegmentTable table = newer.table();
    if (before != null) {
      history.forgetLeavers(before.table(), table);
    }
    if (before != null && sameOwners(before.table(), table)) {
      renew(table);
    } else {
      change(before, newer, turn);
    }
    early.release(this, table, turn);
  }

  /** The owners have changed, or have become final. */
  private void change(@Nullable Holdings before, Holdings newer, Turn turn) {
    SegmentTable table = newer.table();
    boolean wasOwner = before != null && before.owns(segment);
    boolean halfCopy = learner != null && !learner.complete();
    resign(turn, table.epoch());
    if (newer.owns(segment)) {
      own(newer, wasOwner, halfCopy);
      if (table.sealed()) {
        takeRole(table, turn);
      }
    } else if ((wasOwner && !halfCopy) || former != null) {
      boolean whole = former == null ? history.whole() : former.whole();
      leave(table, whole, turn);
    } else {
      retire();
    }
  }

  private boolean sameOwners(SegmentTable before, SegmentTable now) {
    return before.segmentEpoch(segment) == now.segmentEpoch(segment)
        && before.sealed() == now.sealed();
  }

  private void renew(SegmentTable table) {
    if (primary != null) {
      primary.renew(table);
    }
    if (backup != null) {
      backup.renew(table);
    }
    if (learner != null) {
      learner.renew(table);
    }
    if (former != null) {
      former.renew(table);
    }
  }

  private void resign(Turn turn, long epoch) {
    if (primary != null) {
      for (Operation operation : primary.waiting()) {
        turn.refuse(operation.id().caller(), operation.id().sequence(), Outcome.STALE, epoch);
      }
      primary.end();
    }
    primary = null;
    backup = null;
    learner = null;
  }

  /** Makes the replica what it is good for under new owners, of which this node is one. */
  private void own(Holdings newer, boolean wasOwner, boolean halfCopy) {
    int incarnation = newer.table().incarnation(segment);
    Replica replica = cache.store().replica(segment);
    boolean begins = replica == null || replica.incarnation() != incarnation;
    if (newer.holds(segment) && (begins || !wasOwner)) {
      history = new SegmentHistory(cache.store(), segment);
      history.becomeWhole();
      if (begins) {
        cache.store().open(segment, incarnation, ReplicaState.OWNER);
      }
    } else if (begins || halfCopy) {
      history = new SegmentHistory(cache.store(), segment);
      cache.store().open(segment, incarnation, ReplicaState.FILLING);
    } else if (former != null && former.whole()) {
      // Those that were to follow are gone and have never served.
      history.becomeWhole();
      history.replica().become(ReplicaState.OWNER);
    } else if (!wasOwner) {
      // What a learner or a former owner has is a beginning, which the primary will level.
      history.loseWholeness();
    }
    former = null;
  }

  private void takeRole(SegmentTable table, Turn turn) {
    Letters letters = new Letters(cache, segment, history, table);
    if (table.isPrimary(segment, settings.self())) {
      Primary taking = new Primary(letters, around, history, turn);
      primary = taking;
      taking.begin(turn);
    } else {
      Backup taking = new Backup(letters, settings, history, 0);
      backup = taking;
      taking.begin(turn);
    }
  }

  /** This node is no owner any more; what it has is kept until somebody else serves. */
  private void leave(SegmentTable table, boolean whole, Turn turn) {
    Replica replica = cache.store().replica(segment);
    if (!table.sealed()
        || table.primary(segment) == null
        || replica == null
        || replica.incarnation() != table.incarnation(segment)
        || history.appliedSequence() == 0) {
      retire();
      return;
    }
    history.loseWholeness();
    replica.become(ReplicaState.FILLING);
    Former leaving = new Former(new Letters(cache, segment, history, table), settings, whole);
    former = leaving;
    leaving.begin(turn);
  }

  /** This lane holds nothing any more. */
  void retire() {
    if (primary != null) {
      primary.end();
    }
    primary = null;
    backup = null;
    learner = null;
    former = null;
    cache.store().drop(segment);
    history = new SegmentHistory(cache.store(), segment);
  }

  // ---- As primary

  /** A mutation or a count; the monitor is not needed for a GET. */
  void operation(NodeId from, Operation operation, Turn turn) {
    SegmentTable table = table();
    if (operation.segmentEpoch() > table.epoch() && early.keep(operation, turn.nowNanos())) {
      turn.behind(from);
      return;
    }
    Outcome refusal = refusal(from, operation, table, turn);
    if (refusal != null) {
      turn.refuse(from, operation.id().sequence(), refusal, table.epoch());
    } else if (primary != null) {
      if (operation.kind().mutation() && operation.kind() != Operation.Kind.CLEAR) {
        cache.learn(operation.format());
      }
      primary.operation(operation, turn);
    } else {
      // Nothing was ever written, so that the primary-to-be can count without a role.
      turn.send(
          from,
          new OperationReply(
              operation.id().sequence(), Outcome.DONE, true, null, 0, 0, 0, table.epoch()));
    }
  }

  private @Nullable Outcome refusal(
      NodeId from, Operation operation, SegmentTable table, Turn turn) {
    if (table.segmentEpoch(segment) > operation.epoch()) {
      turn.outdated(from, operation.epoch());
      return Outcome.STALE;
    }
    boolean tooNew = operation.segmentEpoch() > table.epoch() || table.member(from) == null;
    if (tooNew || !table.isPrimary(segment, settings.self())) {
      return Outcome.STALE;
    }
    if (!cache.admits(operation.format())) {
      return Outcome.WRONG_FORMAT;
    }
    if (table.sealed()) {
      return primary == null ? Outcome.STALE : null;
    }
    if (!operation.kind().mutation()) {
      return null;
    }
    if (table.ownerCount(segment) < settings.minOwners()) {
      return Outcome.UNAVAILABLE;
    }
    turn.requestSeal();
    return Outcome.STALE;
  }

  void replicated(NodeId from, Replicated message, Turn turn) {
    SegmentTable table = table();
    if (table.segmentEpoch(segment) > message.epoch()) {
      turn.outdated(from, message.epoch());
    } else if (message.segmentEpoch() <= table.epoch() && primary != null) {
      primary.replicated(from, message, turn);
    }
  }

  void learned(NodeId from, Learned message, Turn turn) {
    SegmentTable table = table();
    if (table.segmentEpoch(segment) > message.epoch()) {
      turn.outdated(from, message.epoch());
    } else if (message.segmentEpoch() <= table.epoch() && primary != null) {
      primary.learned(from, message, turn);
    }
  }

  void history(NodeId from, History message, Turn turn) {
    SegmentTable table = table();
    if (table.segmentEpoch(segment) > message.epoch()) {
      turn.outdated(from, message.epoch());
    } else if (message.segmentEpoch() <= table.epoch() && primary != null) {
      primary.history(from, message, turn);
    }
  }

  /** The primary, if it serves; for housekeeping. */
  @Nullable Primary servingPrimary() {
    return primary != null && primary.serving() ? primary : null;
  }

  /** How far the search for expired entries has got. */
  Cursor expiryCursor() {
    return expiryCursor;
  }

  void expiryCursor(Cursor reached) {
    expiryCursor = reached;
  }

  /** Begins to fill the destination of a fill, if this node is the segment's primary and serves. */
  void fill(RunningFill task, Turn turn) {
    if (primary != null) {
      primary.fill(task, turn);
    }
  }

  /** Whether the destination of a fill could take this lane over. */
  boolean keepsUp(RunningFill task, long maxLag) {
    return primary != null && primary.keepsUp(task, maxLag);
  }

  // ---- In the other roles

  void replicate(NodeId from, Replicate message, Turn turn) {
    if (!meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn)) {
      return;
    }
    try {
      if (backup != null) {
        backup.replicate(from, message, turn);
      } else if (learner != null) {
        learner.replicate(message, turn);
      }
    } catch (RuntimeException e) {
      turn.damaged("mutation " + message.mutation().sequence() + " cannot be applied: " + e);
    }
    checkDamage(turn);
  }

  void chunk(NodeId from, Chunk message, Turn turn) {
    if (!meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn)) {
      return;
    }
    if (!beginLearning(from, message, turn) || learner == null) {
      return;
    }
    try {
      learner.chunk(from, message, turn);
    } catch (RuntimeException e) {
      turn.damaged("chunk " + message.number() + " cannot be stored: " + e);
    }
    checkDamage(turn);
  }

  /** Whether a chunk finds a learner, perhaps one that begins with it. */
  private boolean beginLearning(NodeId from, Chunk message, Turn turn) {
    if (learner != null) {
      return true;
    }
    if (former != null) {
      return false; // What it has may still be needed; the primary sends again when it is not.
    }
    Letters letters = new Letters(cache, segment, history, table());
    boolean owner = owner();
    if (owner && (backup == null || message.fill() <= backup.fill())) {
      return false;
    }
    if (message.number() != 1) {
      turn.send(from, letters.learned(message.fill(), 0, Cursor.START, false, true));
      return false;
    }
    learner = new Learner(letters, settings, history, backup == null ? 0 : backup.fill(), turn);
    backup = null;
    return true;
  }

  void levelled(NodeId from, Levelled message, Turn turn) {
    if (!meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn)) {
      return;
    }
    boolean filled =
        learner != null && owner() && learner.complete() && learner.fill() == message.fill();
    if (filled) {
      learner = null;
      backup =
          new Backup(
              new Letters(cache, segment, history, table()), settings, history, message.fill());
    }
    if (backup != null) {
      backup.levelled(from, message, turn);
    }
  }

  void settled(NodeId from, Settled message, Turn turn) {
    if (!meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn)) {
      return;
    }
    boolean released = learner != null && !owner() && learner.fill() == message.fill();
    if (former != null || released) {
      retire();
    } else if (backup != null) {
      backup.settled(message, turn);
      checkDamage(turn);
    }
  }

  void historyRequest(NodeId from, HistoryRequest message, Turn turn) {
    if (message.segmentEpoch() > table().epoch()) {
      early.keep(from, message);
    }
    if (!meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn)) {
      return;
    }
    if (backup != null) {
      backup.historyRequest(from, message, turn);
    } else if (former != null) {
      former.historyRequest(from, message, turn);
    } else if (learner == null) {
      // It has nothing, but says that it knows the table.
      Letters letters = new Letters(cache, segment, history, table());
      turn.send(from, letters.history(message.afterSequence(), false));
    }
  }

  /** Whether this node is a backup that has everything and may be read. */
  boolean wholeBackup() {
    return backup != null && history.whole() && history.replica().state().readable();
  }

  private boolean owner() {
    return holdings != null && holdings.owns(segment);
  }

  /** Whether a primary's message is of the present owners; if not, the older side is told. */
  boolean meansSameOwners(NodeId from, long epoch, long segmentEpoch, Turn turn) {
    SegmentTable table = table();
    if (table.segmentEpoch(segment) > epoch) {
      turn.outdated(from, epoch);
      return false;
    }
    if (segmentEpoch > table.epoch()) {
      turn.behind(from);
      return false;
    }
    return table.isPrimary(segment, from);
  }

  /** A replica without its whole history must not be read: only another copy can mend it. */
  private void checkDamage(Turn turn) {
    if (turn.damage() == null) {
      return;
    }
    if (learner != null) {
      learner.lose(turn);
    } else if (backup != null) {
      Letters letters = new Letters(cache, segment, history, table());
      learner = new Learner(letters, settings, history, backup.fill(), turn);
      backup = null;
    }
  }

  // ---- Time and connections

  void disconnected(NodeId node, Turn turn) {
    if (primary != null) {
      primary.disconnected(node, turn);
    }
  }

  void tick(Turn turn) {
    if (primary != null) {
      primary.tick(turn);
    }
    if (backup != null) {
      backup.tick(turn);
    }
    if (learner != null) {
      learner.tick(owner(), turn);
    }
    if (former != null) {
      former.tick(turn);
    }
    early.release(this, table(), turn);
  }

  /** Whether it waits for something that a tick would move on. */
  boolean unsettled() {
    return (primary != null && primary.unsettled())
        || (backup != null && backup.unsettled())
        || learner != null
        || former != null
        || !early.isEmpty();
  }

  /** Whether ticks are asked for already. */
  boolean attended() {
    return attended;
  }

  void attend(boolean nowAttended) {
    attended = nowAttended;
  }

  /** Whether it has, or had as long as it was an owner, all that was acknowledged. */
  boolean hasAll() {
    return history.whole() || former != null;
  }

  /** Whether it keeps what a new primary may still need. */
  boolean owes() {
    return former != null;
  }

  int segment() {
    return segment;
  }

  LaneCache cache() {
    return cache;
  }

  SegmentHistory history() {
    return history;
  }

  SegmentTable table() {
    if (holdings == null) {
      throw new IllegalStateException("segment " + segment + " has an event before any table");
    }
    return holdings.table();
  }
}
