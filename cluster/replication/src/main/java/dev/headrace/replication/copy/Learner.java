package dev.headrace.replication.copy;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.EarlyMutations;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Chunk;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Replicate;
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
 * <p>It follows the numbered history from the mutation on that its first chunk contains. A mutation
 * goes to the store only where chunks have been already; what lies beyond, the chunk that comes
 * there contains. For that a chunk must be read behind exactly the mutation that the learner has
 * got to: one that was read before is asked for again, one that was read later waits.
 */
public final class Learner {

  /** Chunks that may wait for mutations. */
  private static final int MAX_KEPT = 2 * LaneCopy.MAX_CHUNKS;

  private final MessageFactory messages;
  private final LaneSettings settings;
  private final SegmentHistory history;
  private final int incarnation;
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
  public Learner(
      MessageFactory messages,
      LaneSettings settings,
      SegmentHistory history,
      long copyNumber,
      Effects effects) {
    this.messages = messages;
    this.settings = settings;
    this.history = history;
    this.incarnation = messages.table().incarnation(messages.segment());
    this.early = new EarlyMutations(settings);
    this.heardNanos = effects.nowNanos();
    begin(copyNumber);
  }

  private void begin(long number) {
    copyNumber = number;
    chunks = 0;
    cursor = Cursor.START;
    complete = false;
    kept.clear();
    history.restart(0, 0);
    history.loseCopy(messages.table().segmentEpoch(messages.segment()));
    history.store().open(messages.segment(), incarnation, ReplicaState.COPYING);
  }

  /** The table has changed, but not the owners of this segment. */
  public void renew(SegmentTable newer) {
    messages.renew(newer);
  }

  /** The copy that it is at. */
  public long copyNumber() {
    return copyNumber;
  }

  /** Whether it has a copy as of the last mutation that it has taken note of. */
  public boolean complete() {
    return complete;
  }

  /** Forgets everything, and asks for it again. */
  public void lose(Effects effects) {
    begin(copyNumber);
    confirm(true, effects);
  }

  // ---- Chunks

  public void chunk(NodeId from, Chunk message, Effects effects) {
    heardNanos = effects.nowNanos();
    if (message.copyNumber() > copyNumber && message.number() == 1) {
      begin(message.copyNumber());
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

  public void replicate(Replicate message, Effects effects) {
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

  // ---- Time

  /**
   * Time has passed: asks again for what has not come.
   *
   * @param owner whether it is an owner, which nobody may read before it is told that it is level
   */
  public void tick(boolean owner, Effects effects) {
    long idleNanos = effects.nowNanos() - heardNanos;
    boolean overdue = early.overdue(effects.nowNanos());
    if (overdue || idleNanos >= settings.resendNanos() * (owner ? 1 : 5)) {
      heardNanos = effects.nowNanos();
      confirm(overdue || owner, effects);
    }
  }

  private void confirm(boolean missing, Effects effects) {
    effects.send(
        messages.table().owner(messages.segment(), 0),
        messages.learned(copyNumber, chunks, cursor, complete, missing));
  }
}
