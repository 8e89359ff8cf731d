package dev.headrace.replication.role;

import dev.headrace.replication.copy.RunningCopy;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Standing;
import dev.headrace.stream.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * Another node as a primary sees it: what it has, and what is on its way to it. It is another
 * owner, a former one, which is only ever asked, or a learner. Guarded by the lane.
 *
 * <pre>
 * state      event       guard                              next       effects
 * ---------  ----------  ---------------------------------  ---------  ---------------------------
 * (none)     new owners  an owner, or a former one          PROBE      HistoryRequest
 * PROBE      History                                        REPLICATE
 * (none)     a copy      to one that is no owner            COPY       BeginCopy
 * REPLICATE  catch-up    its history is no beginning of     COPY       BeginCopy
 *                        the primary's
 * REPLICATE  Learned     an owner that has lost its copy    COPY       BeginCopy
 * COPY       Learned     it has all entries                 REPLICATE
 * COPY, and  Learned     a learner has nothing any more     COPY       BeginCopy, under another
 *  REPLICATE                                                           number
 * any        lost link   or nothing confirmed for too       the same   what is not confirmed, again
 *                        long, or something is missing
 * </pre>
 *
 * <p>It gets mutations by number: the outbox is the history between what it has confirmed and the
 * end. In COPY these are the ones behind the mutation at which its copy began; the entries that
 * were there before it reads by itself, and the primary hears of that only when it has all.
 */
final class ReplicaProgress {

  /** What is known of it, and so what it can be sent. */
  enum State {
    /** What it has is not known. */
    PROBE,
    /** It has no copy: it reads one. */
    COPY,
    /** It has a copy. */
    REPLICATE
  }

  /** What is sent again in vain is sent again ever later, but no more than 8 times as late. */
  static final int MOST_DOUBLINGS = 3;

  private final NodeId node;
  private final @Nullable RunningCopy task;
  private State state;

  // What it has said of itself.
  private Standing standing = Standing.NONE;
  private boolean inSync;
  private long term;
  private long askedBehind = -1;
  private long lacksBehind = -1;

  // Mutations.
  private long confirmedSequence;
  private long sentSequence;
  private long progressNanos;
  private int repetitions; // in vain

  // Its copy.
  private long copyNumber;
  private boolean begun;
  private boolean toBegin;
  private boolean answered;
  private long readBytes;
  private long copiedSequence;

  private ReplicaProgress(NodeId node, @Nullable RunningCopy task, State state) {
    this.node = node;
    this.task = task;
    this.state = state;
  }

  /** An owner, or a former one, that has to be asked. */
  static ReplicaProgress unknown(NodeId node, long nowNanos) {
    ReplicaProgress progress = new ReplicaProgress(node, null, State.PROBE);
    progress.progressNanos = nowNanos;
    return progress;
  }

  /** A learner that is no owner, and has nothing. */
  static ReplicaProgress learner(NodeId node, RunningCopy task, long copyNumber) {
    ReplicaProgress progress = new ReplicaProgress(node, task, State.COPY);
    progress.copyNumber = copyNumber;
    progress.toBegin = true;
    task.copyBegun();
    return progress;
  }

  NodeId node() {
    return node;
  }

  /** The copy that a learner is a part of; null if it is none. */
  @Nullable RunningCopy task() {
    return task;
  }

  /** Whether it has said, under the present owners, how far its history goes. */
  boolean heard() {
    return state != State.PROBE;
  }

  /** Whether it has no copy of the segment, so that nothing can be acknowledged. */
  boolean copying() {
    return state == State.COPY;
  }

  // ---- What it says of itself

  /**
   * It says, perhaps for the first time, what it has.
   *
   * @param segmentEpoch the epoch of the present owners
   */
  void hear(long sequence, long lastTerm, Standing says, long segmentEpoch, long nowNanos) {
    if (!heard() || sequence > confirmedSequence) {
      term = lastTerm;
    }
    standing = says;
    inSync |= says.inSyncUnder() == segmentEpoch;
    confirm(sequence, nowNanos);
  }

  /** What it has said of its copy. */
  Standing standing() {
    return standing;
  }

  /** Whether it has everything that was acknowledged, and may be read. */
  boolean inSync() {
    return inSync;
  }

  void becomeInSync() {
    inSync = true;
  }

  /** The term of the last mutation that it had when it was first heard. */
  long term() {
    return term;
  }

  /** Behind which mutation it was asked for its history after all had been heard; -1 for none. */
  long askedBehind() {
    return askedBehind;
  }

  void askBehind(long sequence) {
    askedBehind = sequence;
  }

  /** Behind which mutation it has none left, although it has later ones; -1 if it has not said. */
  long lacksBehind() {
    return lacksBehind;
  }

  void lackBehind(long sequence) {
    lacksBehind = sequence;
  }

  // ---- Mutations

  /** The last mutation that it is known to have. */
  long confirmedSequence() {
    return confirmedSequence;
  }

  /** The last mutation that was sent to it and may be on its way. */
  long sentSequence() {
    return sentSequence;
  }

  /** It says how far its history goes. */
  void confirm(long sequence, long nowNanos) {
    if (state == State.PROBE) {
      state = State.REPLICATE;
      confirmedSequence = sequence;
      sentSequence = sequence;
      progressed(nowNanos);
    } else if (sequence > confirmedSequence) {
      confirmedSequence = sequence;
      sentSequence = Math.max(sentSequence, sequence);
      progressed(nowNanos);
    }
  }

  private void progressed(long nowNanos) {
    progressNanos = nowNanos;
    repetitions = 0;
  }

  void sent(long sequence, long nowNanos) {
    if (!awaitsAnswer()) {
      progressNanos = nowNanos;
    }
    sentSequence = sequence;
  }

  /** Whether anything was sent that is not confirmed. */
  boolean awaitsAnswer() {
    return sentSequence > confirmedSequence || (copying() && !answered);
  }

  /** How long nothing has come from it or gone to it. */
  long idleNanos(long nowNanos) {
    return nowNanos - progressNanos;
  }

  // ---- Its copy

  /** The number of its last copy in this term, 0 if there was none. */
  long copyNumber() {
    return copyNumber;
  }

  /** An owner that has no copy gets one in its place. */
  void beginCopy(long number) {
    inSync = false;
    restart(number);
  }

  /** It begins at the start under another number, since it has lost what it had. */
  void restart(long number) {
    copyNumber = number;
    if (state == State.REPLICATE && task != null) {
      task.copyBegun();
    }
    state = State.COPY;
    begun = false;
    toBegin = true;
    answered = false;
    readBytes = 0;
  }

  /** Whether it has to be told to begin, perhaps once more. */
  boolean toBegin() {
    return toBegin;
  }

  /**
   * It was told to begin.
   *
   * @param sequence the mutation from which on it follows the history, if it has not begun before
   */
  void begun(long sequence, long nowNanos) {
    toBegin = false;
    if (!begun) {
      begun = true;
      confirmedSequence = sequence;
    }
    sentSequence = confirmedSequence;
    progressNanos = nowNanos;
  }

  /** Whether it has said that it has begun its copy. */
  boolean answered() {
    return answered;
  }

  /** Behind this a learner needs mutations. */
  long neededBehind() {
    return begun ? confirmedSequence : Long.MAX_VALUE;
  }

  /** The mutation as of which it had all entries. */
  long copiedSequence() {
    return copiedSequence;
  }

  /** It tells how far it is in its copy, which it has begun. */
  void learned(Learned message, long nowNanos, long wayNanos) {
    answered = true;
    toBegin = false;
    confirm(message.sequence(), nowNanos);
    if (task != null && message.bytes() > readBytes) {
      task.copied(node, message.bytes() - readBytes);
    }
    readBytes = Math.max(readBytes, message.bytes());
    if (message.complete() && state == State.COPY) {
      state = State.REPLICATE;
      copiedSequence = message.sequence();
      if (task != null) {
        task.copyDone();
      }
    }
    if (message.missing()) {
      lacks(nowNanos, wayNanos);
    }
  }

  /**
   * It says that something is missing: goes back to what is confirmed, unless that may still be on
   * its way.
   *
   * @param wayNanos how long that may take
   */
  void lacks(long nowNanos, long wayNanos) {
    if (idleNanos(nowNanos) >= wayNanos) {
      goBack(nowNanos);
    }
  }

  /** Whatever was on its way is lost, or was asked for again: goes back to what is confirmed. */
  void goBack(long nowNanos) {
    toBegin = copying() && !answered;
    sentSequence = confirmedSequence;
    progressed(nowNanos);
  }

  /**
   * Whether it is time to send again what it has not confirmed: when twice as long as the last time
   * has passed without any progress. What was sent again may itself be what holds up the answer.
   *
   * @param patienceNanos when it is sent again for the first time
   */
  boolean overdue(long nowNanos, long patienceNanos) {
    return idleNanos(nowNanos) >= (patienceNanos << repetitions);
  }

  /** It is overdue: goes back to what is confirmed. */
  void sendAgain(long nowNanos) {
    int again = Math.min(repetitions + 1, MOST_DOUBLINGS);
    goBack(nowNanos);
    repetitions = again;
  }
}
