package dev.headrace.replication.role;

import dev.headrace.replication.log.EarlyMutations;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.RangeRequest;
import dev.headrace.replication.message.BeginCopy;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Settled;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.batch.SegmentPart.Status;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.store.RangeReplacement;
import dev.headrace.stream.store.ReplicaState;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The half of a lane that gets a copy: of a node that is to become an owner, or of an owner that
 * has lost its copy. Guarded by the lane.
 *
 * <pre>
 * event      guard                                        effects
 * ---------  -------------------------------------------  ---------------------------------------
 * BeginCopy  a newer copy                                 what it has is dropped, and the entries
 *                                                         that come along are stored; Learned
 * any        there are entries to read, and the node has  the range behind the cursor is asked
 *            room for a range                             for
 * range      the one that was asked for                   it is replaced, and what came meanwhile
 *                                                         is applied to it again
 * range      an entry is larger than what was asked for   asked for with so much room
 * range      none: refused, or the connection is lost     asked for again after a while
 * range      any other                                    none
 * Replicate  the next one                                 applied where ranges have been read, of
 *                                                         several entries those that are there;
 *                                                         Learned
 * Replicate  a later one                                  kept
 * Replicate  what it lacks is stable, so that it is gone  dropped, and asked for again
 * any        all ranges are read, and the mutations that  it is complete; Learned
 *            they may contain have come
 * tick       no answer, or a mutation is missing, or      asked for again, or told again
 *            nothing came
 * </pre>
 *
 * <p>It is no backup with a cursor, but a role of its own, as in Raft: it need not be an owner, and
 * where a backup asks for what is missing it begins again.
 *
 * <p>It follows the numbered history from the mutation on at which its copy begins, and reads what
 * was there before along the cursor, as a stream would. The primary reads a range beside its lane,
 * while mutations go on; so the entries contain each mutation up to the one that this node had when
 * it asked, perhaps some later ones, and none behind the one that the answer names. Therefore the
 * later ones that are here are applied again to the range, in their order, and those that are not
 * here yet will be: a mutation says what a key's entry is from then on, whatever it was. Until the
 * last one that an answer may contain has come, the replica is no beginning of the history, and the
 * copy not complete.
 */
public final class Learner extends Role {

  private final boolean owner;
  private final EarlyMutations early;
  private long copyNumber;
  private boolean begun;
  private boolean complete;
  private long stableSequence;
  private long heardNanos;

  // The entries: up to where they have been read, and which mutations they may contain.
  private Cursor cursor = Cursor.START;
  private boolean allRead;
  private long readThrough;
  private long readBytes;

  // The range that is asked for; an answer counts even after it has been asked for again.
  private @Nullable RangeRequest asked;
  private boolean awaited;
  private boolean resting;
  private long askedNanos;
  private int unanswered; // how often in a row
  private int rangeBytes;

  /**
   * A learner without a copy.
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
    begun = false;
    complete = false;
    cursor = Cursor.START;
    allRead = false;
    readBytes = 0;
    stableSequence = 0;
    ask(null);
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

  /** Only another copy can repair what does not fit together. */
  private Role unlessDamaged(Effects effects) {
    if (effects.damage() != null) {
      lose(effects);
    }
    return this;
  }

  @Override
  Role beginCopy(BeginCopy message, Effects effects) {
    heardNanos = effects.nowNanos();
    if (message.copyNumber() > copyNumber) {
      restart(message.copyNumber());
      begun = true;
      history.learnsUnder(message.epoch());
      history.restart(message.sequence(), message.term());
      if (message.sequence() > 0) {
        history.noteContent(message.beganUnder());
      }
      history.merge(message.results());
      messages.cache().learn(message.format());
      early.dropThrough(message.sequence());
      stableSequence = message.sequence();
      readThrough = message.sequence();
      store(message.entries(), effects);
    }
    if (message.copyNumber() == copyNumber) {
      confirm(!begun, effects);
    }
    return unlessDamaged(effects);
  }

  /** The primary has sent all entries, as of the mutation at which the copy begins, or none. */
  private void store(byte @Nullable [] entries, Effects effects) {
    if (entries == null) {
      return;
    }
    try {
      replace(null, ByteBuffer.wrap(entries));
      allRead = true;
      completeIfAllIsHere();
    } catch (RuntimeException e) {
      effects.damaged("the entries of copy " + copyNumber + " cannot be stored: " + e);
    }
  }

  // ---- Entries

  /** How many bytes it would like to read now; 0 if it has nothing to read, or has to wait. */
  public int wantedBytes(long nowNanos) {
    boolean rests = resting && nowNanos - askedNanos < around.settings().resendNanos();
    return begun && !allRead && !rests ? rangeBytes : 0;
  }

  /** There is room to read what it wants: it asks, unless it waits for an answer. */
  public void read(Effects effects) {
    if (awaited) {
      return;
    }
    RangeRequest next = asked;
    if (next == null) {
      next = new RangeRequest(primary(), nextRange(), history.appliedSequence());
      ask(next);
    }
    awaited = true;
    resting = false;
    askedNanos = effects.nowNanos();
    effects.read(next);
  }

  private ReadRequest nextRange() {
    int segment = messages.segment();
    return ReadRequest.ofReplica(
        messages.cache().name(),
        table().epoch(),
        segment,
        table().incarnation(segment),
        cursor,
        rangeBytes,
        rangeBytes > around.settings().rangeBytes());
  }

  private void ask(@Nullable RangeRequest next) {
    asked = next;
    awaited = false;
    resting = false;
    unanswered = 0;
    rangeBytes = next == null ? around.settings().rangeBytes() : rangeBytes;
  }

  private void rest(long nowNanos) {
    awaited = false;
    resting = true;
    askedNanos = nowNanos;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // An equal request may be of another copy.
  public void range(RangeRequest request, @Nullable Batch answer, Effects effects) {
    if (request != asked) {
      return; // it has been answered before, or was asked for another copy
    }
    try {
      if (answer == null
          || answer.parts().isEmpty()
          || answer.sequence() < request.behind()) { // no primary, or not of these owners
        rest(effects.nowNanos());
      } else {
        take(request, answer.parts().get(0), answer, effects.nowNanos());
        completeIfAllIsHere();
        if (complete) {
          confirm(false, effects);
        }
      }
    } catch (RuntimeException e) {
      effects.damaged("a range of copy " + copyNumber + " cannot be stored: " + e);
    }
    unlessDamaged(effects);
  }

  private void take(RangeRequest request, SegmentPart part, Batch answer, long nowNanos) {
    if (part.status() == Status.TOO_LARGE && answer.entryBytes() > rangeBytes) {
      ask(null);
      rangeBytes = (int) Math.min(Integer.MAX_VALUE, answer.entryBytes());
    } else if (part.status() == Status.MORE || part.status() == Status.DONE) {
      replace(request.behind(), part.status() == Status.DONE ? null : part.cursor(), answer);
      ask(null);
    } else {
      rest(nowNanos);
    }
  }

  private void replace(long behind, @Nullable Cursor to, Batch answer) {
    long cleared = history.lastClear(behind);
    // Whatever came behind a clear comes again.
    replace(to, cleared > behind ? ByteBuffer.allocate(0) : answer.entries());
    history.applyAgain(Math.max(cleared, behind), cursor, to);
    readThrough = Math.max(readThrough, answer.sequence());
    cursor = to == null ? cursor : to;
    allRead = to == null;
  }

  private void replace(@Nullable Cursor to, ByteBuffer entries) {
    readBytes += entries.remaining();
    RangeReplacement range = new RangeReplacement(history.replica(), cursor, to, entries);
    boolean more = true;
    while (more) {
      more = range.step();
    }
  }

  /**
   * An owner that has got a copy in its place has everything: while it had none nothing was
   * acknowledged, and nothing is from now on that it has not.
   */
  private void completeIfAllIsHere() {
    if (begun && allRead && history.appliedSequence() >= readThrough && !complete) {
      complete = true;
      history.completeCopy();
      if (owner) {
        history.becomeInSync(term());
        history.replica().become(ReplicaState.OWNER);
      }
    }
    keepWhatARangeNeeds();
  }

  /** What has come since a range was asked for is kept, but no more than a primary keeps. */
  private void keepWhatARangeNeeds() {
    RangeRequest present = asked;
    LaneSettings settings = around.settings();
    if (present != null
        && present.behind() < stableSequence
        && (history.recent().size() >= settings.maxOutboxEntries()
            || history.recent().bytes() >= settings.maxOutboxBytes())) {
      ask(null); // it is asked for anew, and its answer will contain what is dropped now
      present = null;
    }
    history.stable(present == null ? stableSequence : Math.min(stableSequence, present.behind()));
  }

  // ---- Mutations

  @Override
  Role replicate(NodeId from, Replicate message, Effects effects) {
    try {
      follow(message, effects);
    } catch (RuntimeException e) {
      effects.damaged("mutation " + message.mutation().sequence() + " cannot be applied: " + e);
    }
    return unlessDamaged(effects);
  }

  private void follow(Replicate message, Effects effects) {
    heardNanos = effects.nowNanos();
    if (!begun) {
      return;
    }
    messages.cache().learn(message.format());
    Mutation next = message.mutation();
    if (next.firstSequence() > history.appliedSequence() + 1) {
      early.keep(next, history.appliedSequence(), effects.nowNanos());
      next = null;
    } else {
      next = next.sequence() <= history.appliedSequence() ? nextEarly(effects) : next;
      for (; next != null; next = nextEarly(effects)) {
        history.follow(next, allRead ? null : cursor);
      }
      completeIfAllIsHere();
      confirm(false, effects);
    }
    if (message.stableSequence() > history.appliedSequence()) {
      // The source has given this learner up: what it lacks is gone.
      lose(effects);
    } else {
      stableSequence = Math.max(stableSequence, message.stableSequence());
      keepWhatARangeNeeds();
    }
  }

  private @Nullable Mutation nextEarly(Effects effects) {
    return early.take(history.appliedSequence() + 1, effects.nowNanos());
  }

  // ---- The end of a copy

  /** An owner that has caught up again is a backup again. */
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
    long nowNanos = effects.nowNanos();
    long patienceNanos = around.settings().resendNanos() * (owner ? 1 : 5);
    if (awaited && nowNanos - askedNanos >= answerNanos()) {
      unanswered = Math.min(unanswered + 1, ReplicaProgress.MOST_DOUBLINGS);
      rest(nowNanos);
    }
    boolean overdue = early.overdue(nowNanos);
    if (overdue || nowNanos - heardNanos >= patienceNanos) {
      heardNanos = nowNanos;
      confirm(overdue || owner || !begun, effects);
    }
  }

  @Override
  public boolean unsettled() {
    return true;
  }

  /** How long a range may take: longer each time, for another question holds the answer up. */
  private long answerNanos() {
    return (around.settings().patienceNanos(rangeBytes) * (owner ? 1 : 5)) << unanswered;
  }

  private void confirm(boolean missing, Effects effects) {
    effects.send(primary(), messages.learned(copyNumber, begun, readBytes, complete, missing));
  }
}
