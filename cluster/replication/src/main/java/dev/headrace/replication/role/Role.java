package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.copy.RunningCopy;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.RangeRequest;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.BeginCopy;
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
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node is to one segment, under owners that do not change. A lane has exactly one role; an
 * event leaves it as it is or puts another in its place. Guarded by the lane.
 *
 * <pre>
 * role              event          guard                                next
 * ----------------  -------------  -----------------------------------  ------------------
 * any               other owners   this node is the first of them       Primary
 * any               other owners   this node is another of them         Backup
 * any               other owners   it was one, and has a copy           RetiringReplica
 * any               other owners   none of these, or nothing written    NoRole
 * Backup            BeginCopy      a newer copy                         Learner
 * Backup            damage         the history has a gap                Learner, without a copy
 * NoRole            BeginCopy      it is no owner                       Learner
 * Learner           damage         a range or mutation does not fit     itself, without a copy
 * Learner           InSync         it is an owner and has the copy      Backup
 * Learner           Settled        of its copy, and it is no owner      NoRole
 * RetiringReplica   Settled        all owners are in sync               NoRole
 * </pre>
 *
 * <p>Other owners are dealt with by whoever knows the tables; the rest happens here, and what is
 * not in the table leaves the role as it is. A message comes here when it is certain that its
 * sender means the same owners (P7), and those that only a primary sends come from the primary. The
 * handlers do nothing unless a role overrides them.
 */
public abstract sealed class Role permits Primary, Backup, Learner, RetiringReplica, NoRole {
  final MessageFactory messages;
  final LaneContext around;
  final SegmentHistory history;

  Role(MessageFactory messages, LaneContext around) {
    this.messages = messages;
    this.around = around;
    this.history = messages.history();
  }

  /** What this node has of the segment; one role leaves it to the next. */
  public final SegmentHistory history() {
    return history;
  }

  /** The table that the role goes by. */
  public final SegmentTable table() {
    return messages.table();
  }

  /** The epoch at which the segment's owners last changed: the term of the primary. */
  final long term() {
    return table().segmentEpoch(messages.segment());
  }

  final NodeId primary() {
    return table().owner(messages.segment(), 0);
  }

  // ---- Tables

  /** The role is the lane's now. */
  public void begin(Effects effects) {}

  /** The table has changed, but not the owners of this segment. */
  public void renew(SegmentTable newer, Effects effects) {
    messages.renew(newer);
  }

  /** Drops what this node has of the segment. */
  public final Role retire() {
    history.store().drop(messages.segment());
    return new NoRole(messages.anew(), around);
  }

  // ---- Messages

  /**
   * A message from another owner, or one that copies.
   *
   * @return the lane's role from now on
   */
  public final Role receive(NodeId from, SegmentMessage message, Effects effects) {
    if (message instanceof Replicate replicate) {
      history.learnsUnder(replicate.epoch());
      return replicate(from, replicate, effects);
    } else if (message instanceof Replicated replicated) {
      replicated(from, replicated, effects);
    } else if (message instanceof BeginCopy copy) {
      return beginCopy(copy, effects);
    } else if (message instanceof Learned learned) {
      learned(from, learned, effects);
    } else if (message instanceof Settled settled) {
      return settled(settled, effects);
    } else if (message instanceof InSync inSync) {
      return inSync(from, inSync, effects);
    } else if (message instanceof HistoryRequest request) {
      historyRequest(from, request, effects);
    } else if (message instanceof History told) {
      history(from, told, effects);
    }
    return this;
  }

  /** A caller's mutation; this node is the segment's first owner. */
  public void operation(Operation operation, Effects effects) {
    effects.refuse(operation.id(), Outcome.STALE, table().epoch());
  }

  Role replicate(NodeId from, Replicate message, Effects effects) {
    return this;
  }

  void replicated(NodeId from, Replicated message, Effects effects) {}

  Role beginCopy(BeginCopy message, Effects effects) {
    return this;
  }

  /**
   * A range that was asked for has been read.
   *
   * @param answer null if there will be none; the caller releases it
   */
  public void range(RangeRequest request, @Nullable Batch answer, Effects effects) {}

  void learned(NodeId from, Learned message, Effects effects) {}

  Role settled(Settled message, Effects effects) {
    return this;
  }

  Role inSync(NodeId from, InSync message, Effects effects) {
    return this;
  }

  /** Tells a new primary what there is here, even if it is nothing. */
  void historyRequest(NodeId from, HistoryRequest request, Effects effects) {
    if (request.afterSequence() > 0) {
      history.noteContent(request.beganUnder());
    }
    if (!(this instanceof Learner)) { // half a copy is no history
      effects.send(from, messages.history(request.afterSequence()));
    }
    history.told(term());
  }

  void history(NodeId from, History message, Effects effects) {}

  // ---- Time and connections

  /** What is on its way to a node, or from it, may be lost. */
  public void disconnected(NodeId node, Effects effects) {}

  /** Time has passed. */
  public void tick(Effects effects) {}

  /** Whether it waits for something that a tick would move on. */
  public boolean unsettled() {
    return false;
  }

  // ---- What a primary does beside that

  /** The operations that wait. */
  public List<Operation> waiting() {
    return List.of();
  }

  /** Whether this node has all that was acknowledged before an epoch; called from any thread. */
  public boolean recoveredUnder(long segmentEpoch) {
    return false;
  }

  /** Another cache of this segment has recovered, too, perhaps the last. */
  public void othersRecovered(Effects effects) {}

  /** Begins to copy to the destinations of a copy. */
  public void copy(RunningCopy task, Effects effects) {}

  /** Whether the destinations of a copy could take this lane over. */
  public boolean keepUp(RunningCopy task, long maxLag) {
    return false;
  }

  /** Whether the destinations of a copy have all that was acknowledged. */
  public boolean isLevel(RunningCopy task) {
    return false;
  }
}
