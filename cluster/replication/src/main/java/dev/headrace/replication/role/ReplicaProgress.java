package dev.headrace.replication.role;

import dev.headrace.replication.copy.RunningCopy;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Standing;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
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
 * (none)     a copy      to one that is no owner            COPY       Chunk
 * REPLICATE  catch-up    its history is no beginning of     COPY       Chunk
 *                        the primary's
 * REPLICATE  Learned     an owner that has lost its copy    COPY       Chunk
 * COPY       Learned     with the last chunk                REPLICATE  mutations behind it
 * COPY, and  Learned     a learner has nothing any more     COPY       Chunk, under another number
 *  REPLICATE
 * any        lost link   or nothing confirmed for too       the same   what is not confirmed, again
 *                        long, or something is missing
 * </pre>
 *
 * <p>In REPLICATE it gets mutations by number: the outbox is the history between what it has
 * confirmed and the end. In COPY it gets chunks along the cursor, and behind the first of them
 * mutations as well. Nothing that was sent is kept for a repetition: after a loss it goes back to
 * what is confirmed, and is read again.
 */
final class ReplicaProgress {

  /** What is known of it, and so what it can be sent. */
  enum State {
    /** What it has is not known. */
    PROBE,
    /** It has no copy: it gets chunks. */
    COPY,
    /** It has a copy: it gets mutations. */
    REPLICATE
  }

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

  // Chunks.
  private long copyNumber;
  private boolean started;
  private long confirmedChunks;
  private Cursor confirmedCursor = Cursor.START;
  private long sentChunks;
  private Cursor read = Cursor.START;
  private boolean readAll;
  private long bytesInFlight;
  private long lastChunkBytes;
  private long lastChunkSequence;

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
      progressNanos = nowNanos;
    } else if (sequence > confirmedSequence) {
      confirmedSequence = sequence;
      sentSequence = Math.max(sentSequence, sequence);
      progressNanos = nowNanos;
    }
  }

  void sent(long sequence, long nowNanos) {
    if (!awaitsAnswer()) {
      progressNanos = nowNanos;
    }
    sentSequence = sequence;
  }

  /** Whether anything was sent that is not confirmed. */
  private boolean awaitsAnswer() {
    return sentSequence > confirmedSequence || sentChunks > confirmedChunks;
  }

  /** How long nothing has come from it or gone to it. */
  long idleNanos(long nowNanos) {
    return nowNanos - progressNanos;
  }

  // ---- Chunks

  /** The number of its last copy in this term, 0 if there was none. */
  long copyNumber() {
    return copyNumber;
  }

  /** An owner that has no copy gets one in its place. */
  void beginCopy(long number) {
    state = State.COPY;
    inSync = false;
    copyNumber = number;
    started = false;
    readAll = false;
    confirmedSequence = 0;
    sentSequence = 0;
  }

  /** It begins at the start under another number, since it has lost what it had. */
  void restart(long number) {
    copyNumber = number;
    if (state == State.REPLICATE && task != null) {
      task.copyBegun();
    }
    state = State.COPY;
    confirmedChunks = 0;
    confirmedCursor = Cursor.START;
    started = false;
  }

  /** An owner has all chunks, and is a backup again. */
  void endCopy(long nowNanos) {
    confirmedChunks = 0;
    confirmedCursor = Cursor.START;
    sentChunks = 0;
    read = Cursor.START;
    sentSequence = confirmedSequence;
    progressNanos = nowNanos;
  }

  /** Whether it gets mutations: not before its first chunk. */
  boolean started() {
    return started;
  }

  /** Behind this a learner needs mutations. */
  long neededBehind() {
    return started ? confirmedSequence : Long.MAX_VALUE;
  }

  /** Whether a chunk may be sent now, as far as it is concerned. */
  boolean wantsChunk() {
    return !readAll && sentChunks - confirmedChunks < LaneSettings.MAX_CHUNKS;
  }

  /** Behind which entry the next chunk begins. */
  Cursor read() {
    return read;
  }

  /** The number of the last chunk that was sent. */
  long sentChunks() {
    return sentChunks;
  }

  /** How many chunks it is known to have. */
  long confirmedChunks() {
    return confirmedChunks;
  }

  /** The mutation that the last chunk contained. */
  long lastChunkSequence() {
    return lastChunkSequence;
  }

  /**
   * A chunk was sent.
   *
   * @param sequence the last mutation that it contains
   */
  void sentChunk(Cursor to, boolean last, long bytes, long sequence, long nowNanos) {
    sentChunks++;
    read = to;
    readAll = last;
    lastChunkBytes = bytes;
    bytesInFlight += bytes;
    if (!started) {
      started = true;
      confirmedSequence = sequence;
    }
    if (sentChunks == 1) {
      sentSequence = sequence;
    }
    lastChunkSequence = sequence;
    progressNanos = nowNanos;
  }

  /**
   * It tells how far it is in its copy.
   *
   * @return how many bytes are no longer on their way
   */
  long learned(Learned message, long nowNanos) {
    long before = bytesInFlight;
    if (message.chunks() > confirmedChunks) {
      confirmedChunks = message.chunks();
      confirmedCursor = message.cursor();
      progressNanos = nowNanos;
      if (sentChunks <= confirmedChunks) {
        // It may have taken an older reading of the chunk than the last one that was sent.
        sentChunks = confirmedChunks;
        read = confirmedCursor;
        readAll = message.complete();
      }
      bytesInFlight = Math.min(bytesInFlight, sentChunks > confirmedChunks ? lastChunkBytes : 0);
      if (message.complete() && state == State.COPY) {
        state = State.REPLICATE;
        if (task != null) {
          task.copyDone();
        }
      }
    }
    if (message.chunks() > 0) {
      confirm(message.sequence(), nowNanos);
    }
    if (message.missing() && message.chunks() >= confirmedChunks) {
      goBack(nowNanos);
    }
    return before - bytesInFlight;
  }

  /**
   * Whatever was on its way is lost, or was asked for again: goes back to what is confirmed.
   *
   * @return how many bytes are no longer on their way
   */
  long goBack(long nowNanos) {
    sentChunks = confirmedChunks;
    read = confirmedCursor;
    readAll = state != State.COPY;
    if (state != State.COPY || confirmedChunks > 0) {
      sentSequence = confirmedSequence;
    }
    progressNanos = nowNanos;
    return landed();
  }

  /** Nothing is on its way any more; tells how many bytes were. */
  long landed() {
    long landed = bytesInFlight;
    bytesInFlight = 0;
    return landed;
  }

  /** Whether it is time to send a learner again what it has not confirmed. */
  boolean overdue(long nowNanos, long resendNanos) {
    boolean waits = sentChunks > confirmedChunks || (started && sentSequence > confirmedSequence);
    return waits && idleNanos(nowNanos) >= resendNanos;
  }
}
