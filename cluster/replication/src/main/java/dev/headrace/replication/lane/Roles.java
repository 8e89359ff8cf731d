package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.copy.Learner;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneCache;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Chunk;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.SegmentMessage;
import dev.headrace.replication.message.Settled;
import dev.headrace.replication.role.Backup;
import dev.headrace.replication.role.LaneContext;
import dev.headrace.replication.role.Primary;
import dev.headrace.replication.role.RetiringReplica;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import org.jspecify.annotations.Nullable;

/**
 * What a node is to one segment: its {@link Primary}, a {@link Backup}, a {@link Learner} or a
 * {@link RetiringReplica} owner, at most one of them. The history and the replica, which one role
 * leaves to the next, are here too.
 *
 * <p>Messages come here when their sender is known to mean the present owners. Guarded by the lane.
 */
final class Roles {
  private final LaneCache cache;
  private final int segment;
  private final LaneContext around;
  private final LaneSettings settings;
  private SegmentHistory history;
  private @Nullable LocalReplicas local;
  private volatile @Nullable Primary primary; // written under the monitor, read by other lanes
  private @Nullable Backup backup;
  private @Nullable Learner learner;
  private @Nullable RetiringReplica former;

  Roles(LaneCache cache, int segment, LaneContext around) {
    this.cache = cache;
    this.segment = segment;
    this.around = around;
    this.settings = around.settings();
    this.history = new SegmentHistory(cache, segment);
  }

  // ---- Ownership

  /** Takes the roles of the node's present table; false if it has them. */
  boolean adopt(LocalReplicas newer, Effects effects) {
    LocalReplicas before = local;
    if (before == newer) {
      return false;
    }
    local = newer;
    SegmentTable table = newer.table();
    if (before != null) {
      history.forgetLeavers(before.table(), table);
    }
    if (before != null && sameOwners(before.table(), table)) {
      renew(table, effects);
    } else {
      change(before, newer, effects);
    }
    return true;
  }

  /** The owners have changed, or have become final. */
  private void change(@Nullable LocalReplicas before, LocalReplicas newer, Effects effects) {
    SegmentTable table = newer.table();
    boolean wasOwner = before != null && before.owns(segment);
    boolean halfCopy = learner != null && !learner.complete();
    resign(effects, table.epoch());
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
      if (table.written()) {
        takeRole(table, effects);
      }
    } else if ((wasOwner && !halfCopy) || former != null) {
      leave(table, effects);
    } else {
      retire();
    }
  }

  private boolean sameOwners(SegmentTable before, SegmentTable now) {
    return before.segmentEpoch(segment) == now.segmentEpoch(segment)
        && before.written() == now.written();
  }

  private void renew(SegmentTable table, Effects effects) {
    if (primary != null) {
      primary.renew(table, effects);
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

  private void resign(Effects effects, long epoch) {
    if (primary != null) {
      for (Operation operation : primary.waiting()) {
        effects.refuse(operation.id(), Outcome.STALE, epoch);
      }
      primary.end();
    }
    primary = null;
    backup = null;
    learner = null;
  }

  /** Makes the replica what it is good for under new owners, of which this node is one. */
  private void own(LocalReplicas newer, boolean wasOwner, boolean stayed, boolean halfCopy) {
    int incarnation = newer.table().incarnation(segment);
    long segmentEpoch = newer.table().segmentEpoch(segment);
    Replica replica = cache.store().replica(segment);
    boolean begins = replica == null || replica.incarnation() != incarnation;
    if (newer.holds(segment) && (begins || !wasOwner)) {
      beginHistory();
      history.becomeInSync(segmentEpoch);
      if (begins) {
        cache.store().open(segment, incarnation, ReplicaState.OWNER);
      }
    } else if (begins || halfCopy) {
      beginHistory();
      cache.store().open(segment, incarnation, ReplicaState.COPYING);
    } else if (!stayed) {
      // What a learner or a former owner has is a beginning, which the primary will level.
      history.loseSync();
      history.replica().become(ReplicaState.COPYING);
    } else if (history.inSync()) {
      history.becomeInSync(segmentEpoch);
    }
    former = null;
  }

  private void takeRole(SegmentTable table, Effects effects) {
    if (table.isPrimary(segment, settings.self())) {
      Primary taking = new Primary(messages(), around, history, effects);
      primary = taking;
      taking.begin(effects);
    } else {
      Backup taking = new Backup(messages(), settings, history, 0);
      backup = taking;
      taking.begin(effects);
    }
  }

  /** This node is no owner any more; what it has is kept until somebody else serves. */
  private void leave(SegmentTable table, Effects effects) {
    Replica replica = cache.store().replica(segment);
    if (!table.written()
        || table.primary(segment) == null
        || replica == null
        || replica.incarnation() != table.incarnation(segment)
        || !history.copy()) {
      retire();
      return;
    }
    history.loseSync();
    replica.become(ReplicaState.COPYING);
    RetiringReplica leaving = new RetiringReplica(messages(), settings);
    former = leaving;
    leaving.begin(effects);
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

  /** A message from another owner, or one that copies. */
  void receive(NodeId from, SegmentMessage message, Effects effects) {
    Primary asked = primary;
    if (message instanceof Replicate replicate) {
      replicate(from, replicate, effects);
    } else if (message instanceof Replicated replicated && asked != null) {
      asked.replicated(from, replicated, effects);
    } else if (message instanceof Chunk chunk) {
      chunk(from, chunk, effects);
    } else if (message instanceof Learned learned && asked != null) {
      asked.learned(from, learned, effects);
    } else if (message instanceof Settled settled) {
      settled(settled, effects);
    } else if (message instanceof InSync inSync) {
      inSync(from, inSync, effects);
    } else if (message instanceof HistoryRequest request) {
      historyRequest(from, request, effects);
    } else if (message instanceof History told && asked != null) {
      asked.history(from, told, effects);
    }
  }

  private void replicate(NodeId from, Replicate message, Effects effects) {
    history.learnsUnder(message.epoch());
    try {
      if (backup != null) {
        backup.replicate(from, message, effects);
      } else if (learner != null) {
        learner.replicate(message, effects);
        endLearning();
      }
    } catch (RuntimeException e) {
      effects.damaged("mutation " + message.mutation().sequence() + " cannot be applied: " + e);
    }
    checkDamage(effects);
  }

  private void chunk(NodeId from, Chunk message, Effects effects) {
    if (!beginLearning(from, message, effects) || learner == null) {
      return;
    }
    history.learnsUnder(message.epoch());
    try {
      learner.chunk(from, message, effects);
      endLearning();
    } catch (RuntimeException e) {
      effects.damaged("chunk " + message.number() + " cannot be stored: " + e);
    }
    checkDamage(effects);
  }

  /**
   * An owner that has got a copy in its place has everything: while it had none nothing was
   * acknowledged, and nothing is from now on that it has not.
   */
  private void endLearning() {
    if (learner != null && learner.complete() && owner() && !history.inSync()) {
      history.becomeInSync(table().segmentEpoch(segment));
      history.replica().become(ReplicaState.OWNER);
    }
  }

  /** Whether a chunk finds a learner, perhaps one that begins with it. */
  private boolean beginLearning(NodeId from, Chunk message, Effects effects) {
    if (learner != null) {
      return true;
    }
    if (former != null) {
      return false; // What it has may still be needed; the primary sends again when it is not.
    }
    boolean owner = owner();
    if (owner && (backup == null || message.copyNumber() <= backup.copyNumber())) {
      return false;
    }
    if (message.number() != 1) {
      effects.send(from, messages().learned(message.copyNumber(), 0, Cursor.START, false, true));
      return false;
    }
    learner =
        new Learner(
            messages(), settings, history, backup == null ? 0 : backup.copyNumber(), effects);
    backup = null;
    return true;
  }

  private void inSync(NodeId from, InSync message, Effects effects) {
    boolean filled =
        learner != null
            && owner()
            && learner.complete()
            && learner.copyNumber() == message.copyNumber();
    if (filled) {
      learner = null;
      backup = new Backup(messages(), settings, history, message.copyNumber());
    }
    if (backup != null) {
      backup.inSync(from, message, effects);
    }
  }

  private void settled(Settled message, Effects effects) {
    // The end of a copy says nothing of what a former owner keeps.
    boolean releasesFormer = former != null && message.copyNumber() == 0;
    boolean endsFill = learner != null && !owner() && learner.copyNumber() == message.copyNumber();
    if (releasesFormer || endsFill) {
      retire();
    } else if (backup != null) {
      backup.settled(message, effects);
      checkDamage(effects);
    }
  }

  private void historyRequest(NodeId from, HistoryRequest message, Effects effects) {
    if (message.afterSequence() > 0) {
      history.noteContent();
    }
    if (backup != null) {
      backup.historyRequest(from, message, effects);
    } else if (former != null) {
      former.historyRequest(from, message, effects);
    } else if (learner == null) {
      // It has nothing, but says that it knows the table.
      effects.send(from, messages().history(message.afterSequence()));
    }
    history.told(table().segmentEpoch(segment));
  }

  /** Whether this node is a backup that has everything and may be read. */
  boolean inSyncBackup() {
    return backup != null && history.inSync() && history.replica().state().readable();
  }

  private MessageFactory messages() {
    return new MessageFactory(cache, segment, history, table(), around.formers().rows(segment));
  }

  private void beginHistory() {
    history.forgetResults();
    history = history.successor();
  }

  private boolean owner() {
    return local != null && local.owns(segment);
  }

  /** A replica without its whole history must not be read: only another copy can mend it. */
  private void checkDamage(Effects effects) {
    if (effects.damage() == null) {
      return;
    }
    if (learner != null) {
      learner.lose(effects);
    } else if (backup != null) {
      learner = new Learner(messages(), settings, history, backup.copyNumber(), effects);
      backup = null;
    }
  }

  // ---- Time and connections

  void disconnected(NodeId node, Effects effects) {
    if (primary != null) {
      primary.disconnected(node, effects);
    }
  }

  void tick(Effects effects) {
    if (primary != null) {
      primary.tick(effects);
    }
    if (backup != null) {
      backup.tick(effects);
    }
    if (learner != null) {
      learner.tick(owner(), effects);
    }
    if (former != null) {
      former.tick(effects);
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
    if (local == null) {
      throw new IllegalStateException("segment " + segment + " has an event before any table");
    }
    return local.table();
  }
}
