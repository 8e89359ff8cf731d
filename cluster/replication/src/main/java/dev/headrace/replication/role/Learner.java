package dev.headrace.replication.role;

import dev.headrace.replication.log.EarlyMutations;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.message.Chunk;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Settled;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.store.RangeReplacement;
import dev.headrace.stream.store.ReplicaState;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The half of a lane that is being copied to: of a node that is to become an owner, or of an owner
 * that has lost its copy. Guarded by the lane.
 *
 * <pre>
 * event      guard                                        effects
 * ---------  -------------------------------------------  ---------------------------------------
 * Chunk      the first of a newer copy                    what it has is dropped; it begins there
 * Chunk      the next one, as of the mutation it is at    it replaces its range; Learned
 * Chunk      a later one, or as of a later mutation       kept
 * Chunk      as of an earlier mutation                    asked for again
 * Replicate  the next one                                 applied where chunks have been; Learned
 * Replicate  a later one                                  kept
 * Replicate  what it lacks is stable, so that it is gone  dropped, and asked for again
 * tick       something is missing, or nothing came        asked for again
 * </pre>
 *
 * <p>It is no backup with a cursor, but a role of its own, as in Raft: it need not be an owner, it
 * answers with its cursor and not with what it has applied, and where a backup asks for what is
 * missing it begins again.
 *
 * <p>It follows the numbered history from the mutation on that its first chunk contains. A mutation
 * goes to the store only where chunks have been already; what lies beyond, the chunk that comes
 * there contains. For that a chunk must be read behind exactly the mutation that the learner has
 * got to: one that was read before is asked for again, one that was read later waits.
 */
public final class Learner extends Role {

  /** Chunks that may wait for mutations. */
  private static final int MAX_KEPT = 2 * LaneSettings.MAX_CHUNKS;

  private final boolean owner;
  private final EarlyMutations early;
  private final Map<Long, Chunk> kept = new HashMap<>(0);
  private long copyNumber;
  private long chunks;
  private Cursor cursor = Cursor.START;
  private boolean complete;
  private long heardNanos;

  /**
   * A learner without any chunk.
   *
   * @param copyNumber the last copy under the present owners, 0 if there was none
   */
  Learner(MessageFactory messages, LaneContext around, long copyNumber, Effects effects) {
    super(messages, around);
    this.owner = table().isOwner(messages.segment(), around.settings().self());
    this.early = new EarlyMutations(around.settings());
    this.heardNanos = effects.nowNanos();
    restart(copyNumber);
  }

  private void restart(long number) {
    copyNumber = number;
    chunks = 0;
    cursor = Cursor.START;
    complete = false;
    kept.clear();
    history.restart(0, 0);
    history.loseCopy(term());
    history
        .store()
        .open(messages.segment(), table().incarnation(messages.segment()), ReplicaState.COPYING);
  }

  /** Whether it has a copy as of the last mutation that it has taken note of. */
  public boolean complete() {
    return complete;
  }

  /** Forgets everything, and asks for it again. */
  private void lose(Effects effects) {
    restart(copyNumber);
    confirm(true, effects);
  }

  // ---- Chunks

  @Override
  Role chunk(NodeId from, Chunk message, Effects effects) {
    history.learnsUnder(message.epoch());
    try {
      keep(from, message, effects);
      becomeInSyncIfComplete();
    } catch (RuntimeException e) {
      effects.damaged("chunk " + message.number() + " cannot be stored: " + e);
    }
    return unlessDamaged(effects);
  }

  /** Only another copy can mend what does not fit together. */
  private Role unlessDamaged(Effects effects) {
    if (effects.damage() != null) {
      lose(effects);
    }
    return this;
  }

  /**
   * An owner that has got a copy in its place has everything: while it had none nothing was
   * acknowledged, and nothing is from now on that it has not.
   */
  private void becomeInSyncIfComplete() {
    if (complete && owner && !history.inSync()) {
      history.becomeInSync(term());
      history.replica().become(ReplicaState.OWNER);
    }
  }

  private void keep(NodeId from, Chunk message, Effects effects) {
    heardNanos = effects.nowNanos();
    if (message.copyNumber() > copyNumber && message.number() == 1) {
      restart(message.copyNumber());
    }
    if (message.copyNumber() != copyNumber) {
      if (message.copyNumber() > copyNumber) {
        effects.send(from, messages.learned(message.copyNumber(), 0, Cursor.START, false, true));
      }
      return;
    }
    if (message.number() <= chunks) {
      confirm(false, effects);
      return;
    }
    if (message.number() == 1) {
      history.restart(message.sequence(), message.term());
      early.dropThrough(message.sequence());
    }
    if (kept.size() < MAX_KEPT) {
      kept.put(message.number(), message);
    }
    advance(effects);
  }

  /** Takes whatever is due, chunks before mutations. */
  private void advance(Effects effects) {
    boolean missing = false;
    boolean moved = true;
    while (moved) {
      moved = false;
      Chunk due = kept.get(chunks + 1);
      if (due != null && due.sequence() <= history.appliedSequence()) {
        kept.remove(due.number());
        boolean fits = due.sequence() == history.appliedSequence() && due.from().equals(cursor);
        if (fits) {
          take(due);
        }
        moved = fits;
        missing |= !fits;
      }
      if (!moved && chunks > 0) {
        moved = applyNext(early.take(history.appliedSequence() + 1, effects.nowNanos()));
      }
    }
    confirm(missing, effects);
  }

  private void take(Chunk chunk) {
    RangeReplacement range =
        new RangeReplacement(
            history.replica(), chunk.from(), chunk.last() ? null : chunk.to(), chunk.entries());
    boolean more = true;
    while (more) {
      more = range.step();
    }
    messages.cache().learn(chunk.format());
    chunks++;
    cursor = chunk.to();
    if (chunk.last()) {
      history.merge(chunk.results());
      history.completeCopy();
      complete = true;
      kept.clear();
    }
  }

  // ---- Mutations

  @Override
  Role replicate(NodeId from, Replicate message, Effects effects) {
    try {
      follow(message, effects);
      becomeInSyncIfComplete();
    } catch (RuntimeException e) {
      effects.damaged("mutation " + message.mutation().sequence() + " cannot be applied: " + e);
    }
    return unlessDamaged(effects);
  }

  private void follow(Replicate message, Effects effects) {
    heardNanos = effects.nowNanos();
    if (chunks == 0) {
      return;
    }
    messages.cache().learn(message.format());
    Mutation mutation = message.mutation();
    long ahead = mutation.sequence() - history.appliedSequence();
    if (ahead > 1) {
      early.keep(mutation, history.appliedSequence(), effects.nowNanos());
    } else {
      applyNext(ahead == 1 ? mutation : null);
      advance(effects);
    }
    if (message.stableSequence() > history.appliedSequence()) {
      // The source has given this learner up: what it lacks is gone.
      lose(effects);
    } else {
      history.stable(message.stableSequence());
    }
  }

  private boolean applyNext(@Nullable Mutation mutation) {
    if (mutation == null) {
      return false;
    }
    history.apply(mutation, complete ? null : cursor);
    return true;
  }

  // ---- The end of a copy

  /** An owner that is level again is a backup again. */
  @Override
  Role inSync(NodeId from, InSync message, Effects effects) {
    boolean copied = owner && complete && copyNumber == message.copyNumber();
    return copied ? new Backup(messages, around, copyNumber).inSync(from, message, effects) : this;
  }

  @Override
  Role settled(Settled message, Effects effects) {
    return !owner && message.copyNumber() == copyNumber ? retire() : this;
  }

  // ---- Time

  /** Asks again for what has not come; an owner soon, for nobody may read it meanwhile. */
  @Override
  public void tick(Effects effects) {
    long idleNanos = effects.nowNanos() - heardNanos;
    boolean overdue = early.overdue(effects.nowNanos());
    if (overdue || idleNanos >= around.settings().resendNanos() * (owner ? 1 : 5)) {
      heardNanos = effects.nowNanos();
      confirm(overdue || owner, effects);
    }
  }

  @Override
  public boolean unsettled() {
    return true;
  }

  private void confirm(boolean missing, Effects effects) {
    effects.send(primary(), messages.learned(copyNumber, chunks, cursor, complete, missing));
  }
}
