package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneCache;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.role.Backup;
import dev.headrace.replication.role.LaneContext;
import dev.headrace.replication.role.Learner;
import dev.headrace.replication.role.NoRole;
import dev.headrace.replication.role.Primary;
import dev.headrace.replication.role.RetiringReplica;
import dev.headrace.replication.role.Role;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which role of a node in a segment follows which table, and what becomes of the history
 * and the replica that one role leaves to the next.
 */
final class Roles {
  private final LaneCache cache;
  private final int segment;
  private final LaneContext around;
  private final NodeId self;

  Roles(LaneCache cache, int segment, LaneContext around) {
    this.cache = cache;
    this.segment = segment;
    this.around = around;
    this.self = around.settings().self();
  }

  /** The role of a node without any table. */
  Role first() {
    return new NoRole(
        new MessageFactory(cache, segment, new SegmentHistory(cache, segment), null, List.of()),
        around);
  }

  /**
   * The role under a newer table: the same one unless the segment's owners have changed, or have
   * become final.
   *
   * @param before the table of the present role, null if it has none
   */
  Role follow(Role present, @Nullable LocalReplicas before, LocalReplicas newer, Effects effects) {
    SegmentTable table = newer.table();
    if (before == null) {
      return change(present, null, newer, effects);
    }
    present.history().forgetLeavers(before.table(), table);
    if (before.table().segmentEpoch(segment) != table.segmentEpoch(segment)
        || before.table().written() != table.written()) {
      return change(present, before, newer, effects);
    }
    present.renew(table, effects);
    return present;
  }

  private Role change(
      Role present, @Nullable LocalReplicas before, LocalReplicas newer, Effects effects) {
    SegmentTable table = newer.table();
    SegmentHistory history = present.history();
    boolean wasOwner = before != null && before.owns(segment);
    boolean halfCopy = present instanceof Learner learner && !learner.complete();
    resign(present, table.epoch(), effects);
    if (before != null && before.table().incarnation(segment) != table.incarnation(segment)) {
      history.forgetPast();
    }
    if (newer.owns(segment)) {
      boolean stayed =
          before != null
              && wasOwner
              && around
                  .formerOwners()
                  .ownedSince(segment, before.table().segmentEpoch(segment), self);
      return owner(own(history, newer, wasOwner, stayed, halfCopy), table, effects);
    }
    boolean hadCopy = (wasOwner && !halfCopy) || present instanceof RetiringReplica;
    if (hadCopy && isNeeded(history, table)) {
      history.loseSync();
      history.replica().become(ReplicaState.COPYING);
      return new RetiringReplica(messages(history, table), around);
    }
    cache.store().drop(segment);
    return new NoRole(messages(history.successor(), table), around);
  }

  private static void resign(Role present, long epoch, Effects effects) {
    for (Operation operation : present.waiting()) {
      effects.refuse(operation.id(), Outcome.STALE, epoch);
    }
  }

  /** Makes the replica what it is good for under new owners, of which this node is one. */
  private SegmentHistory own(
      SegmentHistory before,
      LocalReplicas newer,
      boolean wasOwner,
      boolean stayed,
      boolean halfCopy) {
    SegmentHistory history = before;
    int incarnation = newer.table().incarnation(segment);
    long segmentEpoch = newer.table().segmentEpoch(segment);
    Replica replica = cache.store().replica(segment);
    boolean begins = replica == null || replica.incarnation() != incarnation;
    if (newer.holds(segment) && (begins || !wasOwner)) {
      history = before.successor();
      history.becomeInSync(segmentEpoch);
      if (begins) {
        cache.store().open(segment, incarnation, ReplicaState.OWNER);
      }
    } else if (begins || halfCopy) {
      history = before.successor();
      cache.store().open(segment, incarnation, ReplicaState.COPYING);
    } else if (!stayed) {
      // What a learner or a former owner has is a beginning, which the primary will level.
      history.loseSync();
      history.replica().become(ReplicaState.COPYING);
    } else if (history.inSync()) {
      history.becomeInSync(segmentEpoch);
    }
    return history;
  }

  private Role owner(SegmentHistory history, SegmentTable table, Effects effects) {
    MessageFactory messages = messages(history, table);
    if (!table.written()) {
      return new NoRole(messages, around);
    }
    return table.isPrimary(segment, self)
        ? new Primary(messages, around, effects)
        : new Backup(messages, around, 0);
  }

  /** Whether a new primary may need what this node has, although it is no owner any more. */
  private boolean isNeeded(SegmentHistory history, SegmentTable table) {
    Replica replica = cache.store().replica(segment);
    return table.written()
        && table.primary(segment) != null
        && replica != null
        && replica.incarnation() == table.incarnation(segment)
        && history.copy();
  }

  private MessageFactory messages(SegmentHistory history, SegmentTable table) {
    return new MessageFactory(cache, segment, history, table, around.formerOwners().rows(segment));
  }
}
