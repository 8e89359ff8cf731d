package dev.headrace.replication.copy;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.EarlyMutations;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.Letters;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.log.Turn;
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
 * The half of a lane that is being filled: of a node that is to become an owner, or of an owner
 * that has lost its copy. Guarded by the lane.
 *
 * <p>It follows the numbered history from the mutation on that its first chunk contains. A mutation
 * goes to the store only where chunks have been already; what lies beyond, the chunk that comes
 * there contains. For that a chunk must be read behind exactly the mutation that the learner has
 * got to: one that was read before is asked for again, one that was read later waits.
 */
public final class Learner {

  /** Chunks that may wait for mutations. */
  private static final int MAX_KEPT = 2 * Feed.MAX_CHUNKS;

  private final Letters letters;
  private final LaneSettings settings;
  private final SegmentHistory history;
  private final int incarnation;
  private final EarlyMutations early;
  private final Map<Long, Chunk> kept = new HashMap<>(0);
  private long fill;
  private long chunks;
  private Cursor cursor = Cursor.START;
  private boolean complete;
  private long heardNanos;

  /**
   * A learner without any chunk.
   *
   * @param fill the last fill under the present owners, 0 if there was none
   */
  public Learner(
      Letters letters, LaneSettings settings, SegmentHistory history, long fill, Turn turn) {
    this.letters = letters;
    this.settings = settings;
    this.history = history;
    this.incarnation = letters.table().incarnation(letters.segment());
    this.early = new EarlyMutations(settings);
    this.heardNanos = turn.nowNanos();
    begin(fill);
  }

  private void begin(long number) {
    fill = number;
    chunks = 0;
    cursor = Cursor.START;
    complete = false;
    kept.clear();
    history.restart(0, 0);
    history.loseCopy(letters.table().segmentEpoch(letters.segment()));
    history.store().open(letters.segment(), incarnation, ReplicaState.FILLING);
  }

  /** The table has changed, but not the owners of this segment. */
  public void renew(SegmentTable newer) {
    letters.renew(newer);
  }

  /** The fill that it is at. */
  public long fill() {
    return fill;
  }

  /** Whether it has a copy as of the last mutation that it has taken note of. */
  public boolean complete() {
    return complete;
  }

  /** Forgets everything, and asks for it again. */
  public void lose(Turn turn) {
    begin(fill);
    confirm(true, turn);
  }

  // ---- Chunks

  public void chunk(NodeId from, Chunk message, Turn turn) {
    heardNanos = turn.nowNanos();
    if (message.fill() > fill && message.number() == 1) {
      begin(message.fill());
    }
    if (message.fill() != fill) {
      if (message.fill() > fill) {
        turn.send(from, letters.learned(message.fill(), 0, Cursor.START, false, true));
      }
      return;
    }
    if (message.number() <= chunks) {
      confirm(false, turn);
      return;
    }
    if (message.number() == 1) {
      history.restart(message.sequence(), message.term());
      early.dropThrough(message.sequence());
    }
    if (kept.size() < MAX_KEPT) {
      kept.put(message.number(), message);
    }
    advance(turn);
  }

  /** Takes whatever is due, chunks before mutations. */
  private void advance(Turn turn) {
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
        moved = applyNext(early.take(history.appliedSequence() + 1, turn.nowNanos()));
      }
    }
    confirm(missing, turn);
  }

  private void take(Chunk chunk) {
    RangeReplacement range =
        new RangeReplacement(
            history.replica(), chunk.from(), chunk.last() ? null : chunk.to(), chunk.entries());
    boolean more = true;
    while (more) {
      more = range.step();
    }
    letters.cache().learn(chunk.format());
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

  public void replicate(Replicate message, Turn turn) {
    heardNanos = turn.nowNanos();
    if (chunks == 0) {
      return;
    }
    letters.cache().learn(message.format());
    Mutation mutation = message.mutation();
    long ahead = mutation.sequence() - history.appliedSequence();
    if (ahead > 1) {
      early.keep(mutation, history.appliedSequence(), turn.nowNanos());
    } else {
      applyNext(ahead == 1 ? mutation : null);
      advance(turn);
    }
    if (message.stableSequence() > history.appliedSequence()) {
      // The source has given this learner up: what it lacks is gone.
      lose(turn);
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
  public void tick(boolean owner, Turn turn) {
    long idleNanos = turn.nowNanos() - heardNanos;
    boolean overdue = early.overdue(turn.nowNanos());
    if (overdue || idleNanos >= settings.resendNanos() * (owner ? 1 : 5)) {
      heardNanos = turn.nowNanos();
      confirm(overdue || owner, turn);
    }
  }

  private void confirm(boolean missing, Turn turn) {
    turn.send(
        letters.table().owner(letters.segment(), 0),
        letters.learned(fill, chunks, cursor, complete, missing));
  }
}
