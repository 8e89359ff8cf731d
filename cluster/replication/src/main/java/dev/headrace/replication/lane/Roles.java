package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.copy.Learner;
import dev.headrace.replication.log.LaneCache;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.Letters;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.log.Turn;
import dev.headrace.replication.message.Chunk;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.Levelled;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Settled;
import dev.headrace.replication.role.Backup;
import dev.headrace.replication.role.Former;
import dev.headrace.replication.role.Primary;
import dev.headrace.replication.role.Surroundings;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import org.jspecify.annotations.Nullable;

/**
 * What a node is to one segment: its {@link Primary}, a {@link Backup}, a {@link Learner} or a
 * {@link Former} owner, at most one of them. The history and the replica, which one role leaves to
 * the next, are here too.
 *
 * <p>Messages come here when their sender is known to mean the present owners. Guarded by the lane.
 */
final class Roles {
  private final LaneCache cache;
  private final int segment;
  private final Surroundings around;
  private final LaneSettings settings;
  private SegmentHistory history;
  private @Nullable Holdings holdings;
  private volatile @Nullable Primary primary; // written under the monitor, read by other lanes
  private @Nullable Backup backup;
  private @Nullable Learner learner;
  private @Nullable Former former;

  Roles(LaneCache cache, int segment, Surroundings around) {
    this.cache = cache;
    this.segment = segment;
    this.around = around;
    this.settings = around.settings();
    this.history = new SegmentHistory(cache, segment);
  }

  // ---- Ownership

  /** Takes the roles of the node's present table; false if it has them. */
  boolean adopt(Holdings newer, Turn turn) {
    Holdings before = holdings;
    if (before == newer) {
      return false;
    }
    holdings = newer;
    SegmentTable table = newer.table();
    if (before != null) {
      history.forgetLeavers(before.table(), table);
    }
    if (before != null && sameOwners(before.table(), table)) {
      renew(table, turn);
    } else {
      change(before, newer, turn);
    }
    return true;
  }

  /** The owners have changed, or have become final. */
  private void change(@Nullable Holdings before, Holdings newer, Turn turn) {
    SegmentTable table = newer.table();
    boolean wasOwner = before != null && before.owns(segment);
    boolean halfCopy = learner != null && !learner.complete();
    resign(turn, table.epoch());
    if (before != null && before.table().incarnation(segment) != table.incarnation(segment)) {
      history.forgetPast();
    }
    if (newer.owns(segment)) {
      boolean stayed =
          before != null
              && wasOwner
              && around
                  .formers()
                  .ownedSince(segment, before.table().segmentEpoch(segment), settings.self());
      own(newer, wasOwner, stayed, halfCopy);
      if (table.sealed()) {
        takeRole(table, turn);
      }
    } else if ((wasOwner && !halfCopy) || former != null) {
      leave(table, turn);
    } else {
      retire();
    }
  }

  private boolean sameOwners(SegmentTable before, SegmentTable now) {
    return before.segmentEpoch(segment) == now.segmentEpoch(segment)
        && before.sealed() == now.sealed();
  }

  private void renew(SegmentTable table, Turn turn) {
    if (primary != null) {
      primary.renew(table, turn);
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
  private void own(Holdings newer, boolean wasOwner, boolean stayed, boolean halfCopy) {
    int incarnation = newer.table().incarnation(segment);
    long segmentEpoch = newer.table().segmentEpoch(segment);
    Replica replica = cache.store().replica(segment);
    boolean begins = replica == null || replica.incarnation() != incarnation;
    if (newer.holds(segment) && (begins || !wasOwner)) {
      beginHistory();
      history.becomeWhole(segmentEpoch);
      if (begins) {
        cache.store().open(segment, incarnation, ReplicaState.OWNER);
      }
    } else if (begins || halfCopy) {
      beginHistory();
      cache.store().open(segment, incarnation, ReplicaState.FILLING);
    } else if (!stayed) {
      // What a learner or a former owner has is a beginning, which the primary will level.
      history.loseWholeness();
      history.replica().become(ReplicaState.FILLING);
    } else if (history.whole()) {
      history.becomeWhole(segmentEpoch);
    }
    former = null;
  }

  private void takeRole(SegmentTable table, Turn turn) {
    if (table.isPrimary(segment, settings.self())) {
      Primary taking = new Primary(letters(), around, history, turn);
      primary = taking;
      taking.begin(turn);
    } else {
      Backup taking = new Backup(letters(), settings, history, 0);
      backup = taking;
      taking.begin(turn);
    }
  }

  /** This node is no owner any more; what it has is kept until somebody else serves. */
  private void leave(SegmentTable table, Turn turn) {
    Replica replica = cache.store().replica(segment);
    if (!table.sealed()
        || table.primary(segment) == null
        || replica == null
        || replica.incarnation() != table.incarnation(segment)
        || !history.copy()) {
      retire();
      return;
    }
    history.loseWholeness();
    replica.become(ReplicaState.FILLING);
    Former leaving = new Former(letters(), settings);
    former = leaving;
    leaving.begin(turn);
  }

  /** Nothing of the segment is held any more. */
  void retire() {
    if (primary != null) {
      primary.end();
    }
    primary = null;
    backup = null;
    learner = null;
    former = null;
    cache.store().drop(segment);
    beginHistory();
  }

  /** The primary, if this node is. */
  @Nullable Primary primary() {
    return primary;
  }

  // ---- What a primary sends

  void replicate(NodeId from, Replicate message, Turn turn) {
    try {
      if (backup != null) {
        backup.replicate(from, message, turn);
      } else if (learner != null) {
        learner.replicate(message, turn);
        endLearning();
      }
    } catch (RuntimeException e) {
      turn.damaged("mutation " + message.mutation().sequence() + " cannot be applied: " + e);
    }
    checkDamage(turn);
  }

  void chunk(NodeId from, Chunk message, Turn turn) {
    if (!beginLearning(from, message, turn) || learner == null) {
      return;
    }
    try {
      learner.chunk(from, message, turn);
      endLearning();
    } catch (RuntimeException e) {
      turn.damaged("chunk " + message.number() + " cannot be stored: " + e);
    }
    checkDamage(turn);
  }

  /**
   * An owner that has got a copy in its place has everything: while it had none nothing was
   * acknowledged, and nothing is from now on that it has not.
   */
  private void endLearning() {
    if (learner != null && learner.complete() && owner() && !history.whole()) {
      history.becomeWhole(table().segmentEpoch(segment));
      history.replica().become(ReplicaState.OWNER);
    }
  }

  /** Whether a chunk finds a learner, perhaps one that begins with it. */
  private boolean beginLearning(NodeId from, Chunk message, Turn turn) {
    if (learner != null) {
      return true;
    }
    if (former != null) {
      return false; // What it has may still be needed; the primary sends again when it is not.
    }
    boolean owner = owner();
    if (owner && (backup == null || message.fill() <= backup.fill())) {
      return false;
    }
    if (message.number() != 1) {
      turn.send(from, letters().learned(message.fill(), 0, Cursor.START, false, true));
      return false;
    }
    learner = new Learner(letters(), settings, history, backup == null ? 0 : backup.fill(), turn);
    backup = null;
    return true;
  }

  void levelled(NodeId from, Levelled message, Turn turn) {
    boolean filled =
        learner != null && owner() && learner.complete() && learner.fill() == message.fill();
    if (filled) {
      learner = null;
      backup = new Backup(letters(), settings, history, message.fill());
    }
    if (backup != null) {
      backup.levelled(from, message, turn);
    }
  }

  void settled(Settled message, Turn turn) {
    // The end of a fill says nothing of what a former owner keeps.
    boolean releasesFormer = former != null && message.fill() == 0;
    boolean endsFill = learner != null && !owner() && learner.fill() == message.fill();
    if (releasesFormer || endsFill) {
      retire();
    } else if (backup != null) {
      backup.settled(message, turn);
      checkDamage(turn);
    }
  }

  void historyRequest(NodeId from, HistoryRequest message, Turn turn) {
    if (message.afterSequence() > 0) {
      history.noteContent();
    }
    if (backup != null) {
      backup.historyRequest(from, message, turn);
    } else if (former != null) {
      former.historyRequest(from, message, turn);
    } else if (learner == null) {
      // It has nothing, but says that it knows the table.
      turn.send(from, letters().history(message.afterSequence()));
    }
    history.told(table().segmentEpoch(segment));
  }

  /** Whether this node is a backup that has everything and may be read. */
  boolean wholeBackup() {
    return backup != null && history.whole() && history.replica().state().readable();
  }

  private Letters letters() {
    return new Letters(cache, segment, history, table(), around.formers().rows(segment));
  }

  private void beginHistory() {
    history.forgetResults();
    history = history.successor();
  }

  private boolean owner() {
    return holdings != null && holdings.owns(segment);
  }

  /** A replica without its whole history must not be read: only another copy can mend it. */
  private void checkDamage(Turn turn) {
    if (turn.damage() == null) {
      return;
    }
    if (learner != null) {
      learner.lose(turn);
    } else if (backup != null) {
      learner = new Learner(letters(), settings, history, backup.fill(), turn);
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
  }

  /** Whether any role waits for something that a tick would move on. */
  boolean unsettled() {
    return (primary != null && primary.unsettled())
        || (backup != null && backup.unsettled())
        || learner != null
        || former != null;
  }

  // ---- What is held

  /** Whether it keeps what a new primary may still need. */
  boolean owes() {
    return former != null;
  }

  /** What is kept here, but for results. */
  LaneLoad load() {
    int waiting = primary == null ? 0 : primary.waiting().size();
    return new LaneLoad(history.recent().size(), history.recent().bytes(), waiting, 0);
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
