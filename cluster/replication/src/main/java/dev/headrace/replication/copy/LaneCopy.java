package dev.headrace.replication.copy;

import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Chunk;
import dev.headrace.replication.message.Learned;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.ReadStatus;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A learner as the primary sees it: chunks along the cursor, and behind the first chunk every
 * mutation of the history. Guarded by the lane.
 *
 * <p>Nothing that was sent is kept for a repetition: after a loss it goes back to what the learner
 * has confirmed, and reads again.
 */
public final class LaneCopy {

  /** Chunks of one lane on their way at the same time. */
  public static final int MAX_CHUNKS = 4;

  /** More than the numbers that an entry has in a chunk beside its key and value. */
  private static final int ENTRY_NUMBERS_BYTES = 64;

  private final MessageFactory messages;
  private final SegmentHistory history;
  private final RunningCopies runningCopies;
  private final NodeId node;
  private final @Nullable RunningCopy task;

  private long copyNumber;
  private boolean complete;
  private long confirmedChunks;
  private Cursor confirmed = Cursor.START;
  private long sentChunks;
  private Cursor read = Cursor.START;
  private boolean readAll;
  private long bytesInFlight;
  private long lastChunkBytes;

  private boolean started;
  private long lastChunkSequence;
  private long confirmedSequence;
  private long sentSequence;
  private long progressNanos;

  /**
   * @param task the copy that it is a part of; null if an owner is copied to in its place
   */
  LaneCopy(
      MessageFactory messages,
      SegmentHistory history,
      RunningCopies runningCopies,
      NodeId node,
      @Nullable RunningCopy task,
      long copyNumber) {
    this.messages = messages;
    this.history = history;
    this.runningCopies = runningCopies;
    this.node = node;
    this.task = task;
    this.copyNumber = copyNumber;
    if (task != null) {
      task.copyBegun();
    }
  }

  NodeId node() {
    return node;
  }

  @Nullable RunningCopy task() {
    return task;
  }

  public long copyNumber() {
    return copyNumber;
  }

  /** Whether the learner has the last chunk. */
  public boolean complete() {
    return complete;
  }

  /** How many chunks the learner is known to have. */
  long confirmedChunks() {
    return confirmedChunks;
  }

  /** The last mutation that the learner is known to have. */
  public long confirmedSequence() {
    return confirmedSequence;
  }

  /** Behind this the learner needs mutations; before its first chunk it needs none. */
  long neededBehind() {
    return started ? confirmedSequence : Long.MAX_VALUE;
  }

  /** The mutation that the last chunk contained. */
  long lastChunkSequence() {
    return lastChunkSequence;
  }

  // ---- Sending

  /** Sends what may be sent: first mutations, so that a chunk finds the learner where it is. */
  void pump(Effects effects) {
    pushMutations(effects);
    boolean room = sentSequence == history.appliedSequence() || !started;
    while (room && !readAll && sentChunks - confirmedChunks < MAX_CHUNKS) {
      room = sendChunk(effects);
    }
  }

  private void pushMutations(Effects effects) {
    if (!started) {
      return;
    }
    long end = Math.min(history.appliedSequence(), confirmedSequence + LaneSettings.MAX_IN_FLIGHT);
    if (sentSequence == confirmedSequence && sentChunks == confirmedChunks) {
      progressNanos = effects.nowNanos();
    }
    for (long next = sentSequence + 1; next <= end; next++) {
      effects.send(node, messages.replicate(history.recent().get(next)));
      sentSequence = next;
    }
  }

  private boolean sendChunk(Effects effects) {
    if (!runningCopies.take(node, Chunk.BYTES)) {
      effects.waitForRoom(node);
      return false;
    }
    Replica replica = history.replica();
    SegmentReader reader = new SegmentReader();
    ByteBuffer out = ByteBuffer.allocate(usefulBytes(replica));
    ReadStatus status = read(reader, replica, out);
    if (status == ReadStatus.ENTRY_TOO_LARGE) {
      out = ByteBuffer.allocate(reader.requiredBytes());
      status = read(reader, replica, out);
    }
    if (status == ReadStatus.UNREADABLE) {
      runningCopies.give(node, Chunk.BYTES);
      return false;
    }
    readAll = status == ReadStatus.DONE;
    byte[] entries = Arrays.copyOf(out.array(), out.position());
    lastChunkBytes = Math.min(Chunk.BYTES, Chunk.OVERHEAD_BYTES + entries.length);
    bytesInFlight += lastChunkBytes;
    runningCopies.give(node, Chunk.BYTES - lastChunkBytes);
    effects.send(
        node, messages.chunk(copyNumber, ++sentChunks, read, reader.next(), readAll, entries));
    if (task != null) {
      task.copied(entries.length);
    }
    read = reader.next();
    if (!started) {
      started = true;
      confirmedSequence = history.appliedSequence();
    }
    if (sentChunks == 1) {
      sentSequence = history.appliedSequence();
    }
    lastChunkSequence = history.appliedSequence();
    progressNanos = effects.nowNanos();
    return true;
  }

  /** As large as a chunk, unless the whole segment needs less. */
  private static int usefulBytes(Replica replica) {
    long inSync = replica.bytes() + replica.entries() * ENTRY_NUMBERS_BYTES;
    return (int) Math.max(1, Math.min(Chunk.BYTES, inSync));
  }

  private ReadStatus read(SegmentReader reader, Replica replica, ByteBuffer out) {
    return reader.read(replica, read, Integer.MAX_VALUE, out.capacity(), Projection.REPLICA, out);
  }

  // ---- What the learner says

  /** The learner tells how far it is in this copy. */
  void learned(Learned message, Effects effects) {
    if (message.chunks() > confirmedChunks) {
      confirmedChunks = message.chunks();
      confirmed = message.cursor();
      progressNanos = effects.nowNanos();
      if (sentChunks <= confirmedChunks) {
        // It may have taken an older reading of the chunk than the last one that was sent.
        sentChunks = confirmedChunks;
        read = confirmed;
        readAll = message.complete();
      }
      giveBack(sentChunks > confirmedChunks ? lastChunkBytes : 0);
      if (message.complete() && !complete) {
        complete = true;
        if (task != null) {
          task.copyDone();
        }
      }
    }
    if (message.chunks() > 0 && message.sequence() > confirmedSequence) {
      confirmedSequence = message.sequence();
      sentSequence = Math.max(sentSequence, confirmedSequence);
      progressNanos = effects.nowNanos();
    }
    if (message.missing() && message.chunks() >= confirmedChunks) {
      goBack(effects.nowNanos());
    }
  }

  /** Goes back to what is confirmed. */
  void goBack(long nowNanos) {
    sentChunks = confirmedChunks;
    read = confirmed;
    readAll = complete;
    if (confirmedChunks > 0) {
      sentSequence = confirmedSequence;
    }
    giveBack(0);
    progressNanos = nowNanos;
  }

  /** Begins at the start under another number, since the learner has lost what it had. */
  void restart(long number, long nowNanos) {
    copyNumber = number;
    if (complete && task != null) {
      task.copyBegun();
    }
    complete = false;
    confirmedChunks = 0;
    confirmed = Cursor.START;
    started = false;
    goBack(nowNanos);
  }

  private void giveBack(long keptBytes) {
    if (bytesInFlight > keptBytes) {
      runningCopies.give(node, bytesInFlight - keptBytes);
      bytesInFlight = keptBytes;
    }
  }

  void tick(Effects effects, long resendNanos) {
    boolean waits = sentChunks > confirmedChunks || (started && sentSequence > confirmedSequence);
    if (waits && effects.nowNanos() - progressNanos >= resendNanos) {
      goBack(effects.nowNanos());
    }
    pump(effects);
  }

  /** Nothing more is sent. */
  void end() {
    giveBack(0);
  }
}
