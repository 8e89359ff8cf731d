package dev.headrace.replication.copy;

import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.Letters;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.log.Turn;
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
public final class Feed {

  /** Chunks of one lane on their way at the same time. */
  public static final int MAX_CHUNKS = 4;

  /** More than the numbers that an entry has in a chunk beside its key and value. */
  private static final int ENTRY_NUMBERS_BYTES = 64;

  private final Letters letters;
  private final SegmentHistory history;
  private final Fills fills;
  private final NodeId node;
  private final @Nullable RunningFill task;

  private long fill;
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
   * @param task the fill that it is a part of; null if an owner is filled in its place
   */
  Feed(
      Letters letters,
      SegmentHistory history,
      Fills fills,
      NodeId node,
      @Nullable RunningFill task,
      long fill) {
    this.letters = letters;
    this.history = history;
    this.fills = fills;
    this.node = node;
    this.task = task;
    this.fill = fill;
    if (task != null) {
      task.copyBegun();
    }
  }

  NodeId node() {
    return node;
  }

  @Nullable RunningFill task() {
    return task;
  }

  public long fill() {
    return fill;
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
  void pump(Turn turn) {
    pushMutations(turn);
    boolean room = sentSequence == history.appliedSequence() || !started;
    while (room && !readAll && sentChunks - confirmedChunks < MAX_CHUNKS) {
      room = sendChunk(turn);
    }
  }

  private void pushMutations(Turn turn) {
    if (!started) {
      return;
    }
    long end = Math.min(history.appliedSequence(), confirmedSequence + LaneSettings.MAX_IN_FLIGHT);
    if (sentSequence == confirmedSequence && sentChunks == confirmedChunks) {
      progressNanos = turn.nowNanos();
    }
    for (long next = sentSequence + 1; next <= end; next++) {
      turn.send(node, letters.replicate(history.recent().get(next)));
      sentSequence = next;
    }
  }

  private boolean sendChunk(Turn turn) {
    if (!fills.take(node, Chunk.BYTES)) {
      turn.waitForRoom(node);
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
      fills.give(node, Chunk.BYTES);
      return false;
    }
    readAll = status == ReadStatus.DONE;
    byte[] entries = Arrays.copyOf(out.array(), out.position());
    lastChunkBytes = Math.min(Chunk.BYTES, Chunk.OVERHEAD_BYTES + entries.length);
    bytesInFlight += lastChunkBytes;
    fills.give(node, Chunk.BYTES - lastChunkBytes);
    turn.send(node, letters.chunk(fill, ++sentChunks, read, reader.next(), readAll, entries));
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
    progressNanos = turn.nowNanos();
    return true;
  }

  /** As large as a chunk, unless the whole segment needs less. */
  private static int usefulBytes(Replica replica) {
    long whole = replica.bytes() + replica.entries() * ENTRY_NUMBERS_BYTES;
    return (int) Math.max(1, Math.min(Chunk.BYTES, whole));
  }

  private ReadStatus read(SegmentReader reader, Replica replica, ByteBuffer out) {
    return reader.read(replica, read, Integer.MAX_VALUE, out.capacity(), Projection.REPLICA, out);
  }

  // ---- What the learner says

  /** The learner tells how far it is in this fill. */
  void learned(Learned message, Turn turn) {
    if (message.chunks() > confirmedChunks) {
      confirmedChunks = message.chunks();
      confirmed = message.cursor();
      progressNanos = turn.nowNanos();
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
      progressNanos = turn.nowNanos();
    }
    if (message.missing() && message.chunks() >= confirmedChunks) {
      goBack(turn.nowNanos());
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
    fill = number;
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
      fills.give(node, bytesInFlight - keptBytes);
      bytesInFlight = keptBytes;
    }
  }

  void tick(Turn turn, long resendNanos) {
    boolean waits = sentChunks > confirmedChunks || (started && sentSequence > confirmedSequence);
    if (waits && turn.nowNanos() - progressNanos >= resendNanos) {
      goBack(turn.nowNanos());
    }
    pump(turn);
  }

  /** Nothing more is sent. */
  void end() {
    giveBack(0);
  }
}
