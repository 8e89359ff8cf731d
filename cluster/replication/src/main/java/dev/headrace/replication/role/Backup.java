package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.EarlyMutations;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.Letters;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.log.Turn;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.Levelled;
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
 * it serves nobody before the primary has told it that it is level, or has made a mutation: that it
 * does not before all owners are.
 */
public final class Backup {
  private final Letters letters;
  private final LaneSettings settings;
  private final SegmentHistory history;
  private final EarlyMutations early;
  private final long fill;
  private long askedNanos;

  /**
   * @param fill the last fill under the present owners, 0 if there was none
   */
  public Backup(Letters letters, LaneSettings settings, SegmentHistory history, long fill) {
    this.letters = letters;
    this.settings = settings;
    this.history = history;
    this.early = new EarlyMutations(settings);
    this.fill = fill;
  }

  /** Tells the primary, which may never have heard of this segment, that it has a history. */
  public void begin(Turn turn) {
    askedNanos = turn.nowNanos();
    if (history.appliedSequence() > 0 || !history.whole()) {
      confirm(primary(), false, turn);
    }
  }

  private NodeId primary() {
    return letters.table().owner(letters.segment(), 0);
  }

  /** The table has changed, but not the owners of this segment. */
  public void renew(SegmentTable newer) {
    letters.renew(newer);
  }

  /** The last fill under the present owners. */
  public long fill() {
    return fill;
  }

  public void replicate(NodeId from, Replicate message, Turn turn) {
    letters.cache().learn(message.format());
    Mutation mutation = message.mutation();
    long ahead = mutation.sequence() - history.appliedSequence();
    if (ahead > 1) {
      early.keep(mutation, history.appliedSequence(), turn.nowNanos());
    } else {
      if (ahead == 1) {
        history.apply(mutation);
        applyEarly(turn);
        if (!history.whole() && history.appliedTerm() == term()) {
          becomeWhole();
        }
      }
      confirm(from, false, turn);
    }
    stable(message.stableSequence(), turn);
  }

  public void settled(Settled message, Turn turn) {
    stable(message.stableSequence(), turn);
  }

  /** The primary says that this owner has all that was acknowledged. */
  public void levelled(NodeId from, Levelled message, Turn turn) {
    if (message.fill() == fill) {
      becomeWhole();
      confirm(from, false, turn);
    }
  }

  private void becomeWhole() {
    history.becomeWhole(term());
    history.replica().become(ReplicaState.OWNER);
  }

  private long term() {
    return letters.table().segmentEpoch(letters.segment());
  }

  public void historyRequest(NodeId from, HistoryRequest request, Turn turn) {
    turn.send(from, letters.history(request.afterSequence()));
  }

  public void tick(Turn turn) {
    boolean asks = !history.whole() && turn.nowNanos() - askedNanos >= settings.resendNanos();
    if (early.overdue(turn.nowNanos()) || asks) {
      askedNanos = turn.nowNanos();
      confirm(primary(), true, turn);
    }
  }

  /** Whether something is missing that a tick would ask for. */
  public boolean unsettled() {
    return !early.isEmpty() || !history.whole();
  }

  private void applyEarly(Turn turn) {
    Mutation next = early.take(history.appliedSequence() + 1, turn.nowNanos());
    while (next != null) {
      history.apply(next);
      next = early.take(history.appliedSequence() + 1, turn.nowNanos());
    }
  }

  private void stable(long sequence, Turn turn) {
    if (sequence > history.appliedSequence() && !history.whole()) {
      return; // The primary knows that this owner has no copy, and is about to fill it.
    }
    if (sequence > history.appliedSequence()) {
      turn.damaged(
          "the primary says that all owners have mutation %d, but this one only has %d"
              .formatted(sequence, history.appliedSequence()));
    } else {
      history.stable(sequence);
    }
  }

  private void confirm(NodeId primary, boolean missing, Turn turn) {
    turn.send(primary, letters.replicated(history.whole(), missing));
  }
}
