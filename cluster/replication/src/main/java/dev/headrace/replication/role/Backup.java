package dev.headrace.replication.role;

import dev.headrace.replication.log.EarlyMutations;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.message.BeginCopy;
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
public final class Backup extends Role {
  private final EarlyMutations early;
  private final long copyNumber;
  private long askedNanos;

  /**
   * @param copyNumber the last copy under the present owners, 0 if there was none
   */
  public Backup(MessageFactory messages, LaneContext around, long copyNumber) {
    super(messages, around);
    this.early = new EarlyMutations(around.settings());
    this.copyNumber = copyNumber;
  }

  /** Tells the primary, which may never have heard of this segment, that it has a history. */
  @Override
  public void begin(Effects effects) {
    askedNanos = effects.nowNanos();
    if (history.appliedSequence() > 0 || !history.inSync()) {
      confirm(primary(), false, effects);
    }
  }

  // ---- What the primary sends

  @Override
  Role replicate(NodeId from, Replicate message, Effects effects) {
    try {
      apply(from, message, effects);
    } catch (RuntimeException e) {
      effects.damaged("mutation " + message.mutation().sequence() + " cannot be applied: " + e);
    }
    return unlessDamaged(effects);
  }

  private void apply(NodeId from, Replicate message, Effects effects) {
    messages.cache().learn(message.format());
    Mutation mutation = message.mutation();
    long ahead = mutation.firstSequence() - history.appliedSequence();
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

  @Override
  Role settled(Settled message, Effects effects) {
    stable(message.stableSequence(), effects);
    return unlessDamaged(effects);
  }

  /** A replica without its whole history must not be read: only another copy can repair it. */
  private Role unlessDamaged(Effects effects) {
    return effects.damage() == null ? this : new Learner(messages, around, copyNumber, effects);
  }

  /** A newer copy takes the place of what this owner has. */
  @Override
  Role beginCopy(BeginCopy message, Effects effects) {
    return message.copyNumber() > copyNumber
        ? new Learner(messages, around, copyNumber, effects).beginCopy(message, effects)
        : this;
  }

  /** The primary says that this owner has all that was acknowledged. */
  @Override
  Role inSync(NodeId from, InSync message, Effects effects) {
    if (message.copyNumber() == copyNumber) {
      becomeInSync();
      confirm(from, false, effects);
    }
    return this;
  }

  /** Whether this node has everything and may be read. */
  public boolean inSync() {
    return history.inSync() && history.replica().state().readable();
  }

  private void becomeInSync() {
    history.becomeInSync(term());
    history.replica().become(ReplicaState.OWNER);
  }

  // ---- Time

  @Override
  public void tick(Effects effects) {
    boolean asks =
        !history.inSync() && effects.nowNanos() - askedNanos >= around.settings().resendNanos();
    if (early.overdue(effects.nowNanos()) || asks) {
      askedNanos = effects.nowNanos();
      confirm(primary(), true, effects);
    }
  }

  /** Whether something is missing that a tick would ask for. */
  @Override
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
