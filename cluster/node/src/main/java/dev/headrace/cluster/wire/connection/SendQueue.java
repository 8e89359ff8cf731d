package dev.headrace.cluster.wire.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one connection: encoded frames, one after the other in a few buffers, so that many
 * small ones leave with one write. Guarded by its {@link Link}'s lock.
 */
final class SendQueue {

  /** Size of the buffers for small frames. */
  static final int CHUNK_BYTES = 32 << 10;

  /** How long the peer may read nothing while much is queued for it. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** How long the peer may read nothing while too much is queued for all peers together. */
  static final long SCARCE_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A queue that holds less is not counted in {@link QueueMemory}. */
  static final int COUNTED_BYTES = 64 << 10;

  /** Progress is watched while the queue holds more than one part in this many of its limit. */
  private static final int WATCHED_SHARE = 4;

  private final ByteBufAllocator allocator;
  private final long maxBytes;
  private final QueueMemory all;
  private final ArrayDeque<ByteBuf> complete = new ArrayDeque<>(); // nothing is appended to them
  private @Nullable ByteBuf tail;
  private @Nullable ByteBuf spare;
  private long queuedBytes;

  /** The bytes of this queue that {@link QueueMemory} counts, about the same number. */
  private long countedBytes;

  /** Grows whenever the connection has written something. */
  private long progress;

  private boolean watched;
  private long seenProgress;
  private long seenAtNanos;

  /**
   * @param maxBytes the limit beyond which the connection is closed at once; from a quarter of it
   *     on, it is closed when it makes no progress
   * @param all the bytes of all queues; while they are too many, a connection without progress is
   *     closed even if its queue holds little
   */
  SendQueue(ByteBufAllocator allocator, long maxBytes, QueueMemory all) {
    this.allocator = allocator;
    this.maxBytes = maxBytes;
    this.all = all;
  }

  /** Bytes that wait to be written. */
  long bytes() {
    return queuedBytes;
  }

  /**
   * Whether to close the connection, because the peer does not keep up or cannot be reached.
   *
   * @param nowNanos a monotonic clock
   */
  boolean hopeless(long nowNanos) {
    boolean scarce = countedBytes > 0 && all.isOverdrawn();
    if (!scarce && queuedBytes <= maxBytes / WATCHED_SHARE) {
      watched = false;
      return false;
    }
    if (!watched || seenProgress != progress) {
      watched = true;
      seenProgress = progress;
      seenAtNanos = nowNanos;
    }
    return queuedBytes > maxBytes
        || nowNanos - seenAtNanos >= (scarce ? SCARCE_PATIENCE_NANOS : PATIENCE_NANOS);
  }

  /** The connection has written a part of the buffer that {@link #next} returned last. */
  void progressed() {
    progress++;
  }

  /** A buffer with room for this many bytes, at most {@link #CHUNK_BYTES}. */
  ByteBuf room(int bytes) {
    ByteBuf last = tail;
    if (last != null && last.writableBytes() >= bytes) {
      return last;
    }
    completeTail();
    ByteBuf fresh = spare;
    if (fresh != null) {
      spare = null;
    } else {
      fresh = allocator.directBuffer(CHUNK_BYTES, CHUNK_BYTES);
    }
    tail = fresh;
    return fresh;
  }

  /** Counts the bytes that were appended to the buffer of {@link #room}. */
  void appended(int bytes) {
    queued(bytes);
  }

  private void queued(long bytes) {
    queuedBytes += bytes;
    if (Math.abs(queuedBytes - countedBytes) >= COUNTED_BYTES) {
      all.add(queuedBytes - countedBytes);
      countedBytes = queuedBytes;
    }
  }

  /** Appends a buffer without copying it, and owns it from now on. */
  void add(ByteBuf whole) {
    completeTail();
    queued(whole.readableBytes());
    complete.add(whole);
  }

  /** Takes the next buffer to write; null if the queue is empty. */
  @Nullable ByteBuf next() {
    ByteBuf next = complete.poll();
    if (next == null && tail != null && tail.isReadable()) {
      next = tail;
      tail = null;
    }
    if (next != null) {
      queued(-next.readableBytes());
      progress++;
    }
    return next;
  }

  /** Takes back a buffer that was written. */
  void recycle(ByteBuf written) {
    if (spare == null && written.capacity() == CHUNK_BYTES) {
      spare = written.clear();
    } else {
      written.release();
    }
  }

  /** Drops everything and releases all buffers. */
  void clear() {
    for (ByteBuf next = next(); next != null; next = next()) {
      next.release();
    }
    if (tail != null) {
      tail.release();
      tail = null;
    }
    if (spare != null) {
      spare.release();
      spare = null;
    }
    all.add(-countedBytes);
    countedBytes = 0;
    queuedBytes = 0;
    watched = false;
  }

  private void completeTail() {
    ByteBuf last = tail;
    if (last != null) {
      tail = null;
      if (last.isReadable()) {
        complete.add(last);
      } else {
        recycle(last);
      }
    }
  }
}
