package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.EarlyMutations;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Settled;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.ReplicaState;

/**
 * A backup's half of a lane, for as long as the segment's owners do not change. Guarded by the
 * lane.
 *
 * <p>It applies the primary's mutations without gaps. What comes early is kept, up to a bound; what
 * comes again is confirmed again. If the primary takes for stable what this node has never had, the
 * history has a gap that nothing can fill, and the replica is of no use.
 *
 * <p>An owner that has just come to be one has a copy that may lack the last acknowledged writes;
 * it serves nobody before the primary has told it that it is in sync, or has made a mutation: that
 * it does not before all owners are.
 */
public final class Backup {
  private final MessageFactory messages;
  private final LaneSettings settings;
  private final SegmentHistory history;
  private final EarlyMutations early;
  private final long copyNumber;
  private long askedNanos;

  /**
   * @param copyNumber the last copy under the present owners, 0 if there was none
   */
  public Backup(
      MessageFactory messages, LaneSettings settings, SegmentHistory history, long copyNumber) {
    this.messages = messages;
    this.settings = settings;
    this.history = history;
    this.early = new EarlyMutations(settings);
    this.copyNumber = copyNumber;
  }

  /** Tells the primary, which may never have heard of this segment, that it has a history. */
  public void begin(Effects effects) {
    askedNanos = effects.nowNanos();
    if (history.appliedSequence() > 0 || !history.inSync()) {
      confirm(primary(), false, effects);
    }
  }

  private NodeId primary() {
    return messages.table().owner(messages.segment(), 0);
  }

  /** The table has changed, but not the owners of this segment. */
  public void renew(SegmentTable newer) {
    messages.renew(newer);
  }

  /** The last copy under the present owners. */
  public long copyNumber() {
    return copyNumber;
  }

  public void replicate(NodeId from, Replicate message, Effects effects) {
    messages.cache().learn(message.format());
    Mutation mutation = message.mutation();
    long ahead = mutation.sequence() - history.appliedSequence();
    if (ahead > 1) {
      early.keep(mutation, history.appliedSequence(), effects.nowNanos());
    } else {
      if (ahead == 1) {
        history.apply(mutation);
        applyEarly(effects);
        if (!history.inSync() && history.appliedTerm() == term()) {
          becomeInSync();
        }
      }
      confirm(from, false, effects);
    }
    stable(message.stableSequence(), effects);
  }

  public void settled(Settled message, Effects effects) {
    stable(message.stableSequence(), effects);
  }

  /** The primary says that this owner has all that was acknowledged. */
  public void inSync(NodeId from, InSync message, Effects effects) {
    if (message.copyNumber() == copyNumber) {
      becomeInSync();
      confirm(from, false, effects);
    }
  }

  private void becomeInSync() {
    history.becomeInSync(term());
    history.replica().become(ReplicaState.OWNER);
  }

  private long term() {
    return messages.table().segmentEpoch(messages.segment());
  }

  public void historyRequest(NodeId from, HistoryRequest request, Effects effects) {
    effects.send(from, messages.history(request.afterSequence()));
  }

  public void tick(Effects effects) {
    boolean asks = !history.inSync() && effects.nowNanos() - askedNanos >= settings.resendNanos();
    if (early.overdue(effects.nowNanos()) || asks) {
      askedNanos = effects.nowNanos();
      confirm(primary(), true, effects);
    }
  }

  /** Whether something is missing that a tick would ask for. */
  public boolean unsettled() {
    return !early.isEmpty() || !history.inSync();
  }

  private void applyEarly(Effects effects) {
    Mutation next = early.take(history.appliedSequence() + 1, effects.nowNanos());
    while (next != null) {
      history.apply(next);
      next = early.take(history.appliedSequence() + 1, effects.nowNanos());
    }
  }

  private void stable(long sequence, Effects effects) {
    if (sequence > history.appliedSequence() && !history.inSync()) {
      return; // The primary knows that this owner has no copy, and is about to copy to it.
    }
    if (sequence > history.appliedSequence()) {
      effects.damaged(
          "the primary says that all owners have mutation %d, but this one only has %d"
              .formatted(sequence, history.appliedSequence()));
    } else {
      history.stable(sequence);
    }
  }

  private void confirm(NodeId primary, boolean missing, Effects effects) {
    effects.send(primary, messages.replicated(history.inSync(), missing));
  }
}
