package dev.headrace.cluster.wire.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is to be written to one connection: encoded frames, one behind the other in a few buffers,
 * so that many small ones leave with one write. Guarded by its {@link Link}'s lock.
 */
final class SendQueue {

  /** Size of the buffers for small frames. */
  static final int CHUNK_BYTES = 32 << 10;

  /** How long the peer may take nothing while much is queued for it. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The same while too much is queued for all peers together. */
  static final long SCARCE_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Less than this in one queue does not matter to all together, and need not be counted. */
  static final int COUNTED_BYTES = 64 << 10;

  /** The share of the most bytes from which on progress is watched. */
  private static final int WATCHED_SHARE = 4;

  private final ByteBufAllocator allocator;
  private final long maxBytes;
  private final QueueMemory all;
  private final ArrayDeque<ByteBuf> written = new ArrayDeque<>();
  private @Nullable ByteBuf tail;
  private @Nullable ByteBuf spare;
  private long queuedBytes;

  /** About as much, as it is counted in all queues together. */
  private long countedBytes;

  /** Grows whenever the connection has taken something. */
  private long progress;

  private boolean watched;
  private long seenProgress;
  private long seenAtNanos;

  /**
   * @param maxBytes beyond this a connection is given up at once; from a quarter of it on, when it
   *     makes no progress
   * @param all what waits in all queues; while that is too much, little less than nothing may wait
   *     without progress
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
   * Whether the connection is to be given up: the peer does not keep up, or cannot be reached.
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

  /** The connection has taken a part of the buffer that {@link #next} returned last. */
  void progressed() {
    progress++;
  }

  /** A buffer to append at most so many bytes to, which may be at most {@link #CHUNK_BYTES}. */
  ByteBuf room(int bytes) {
    ByteBuf last = tail;
    if (last != null && last.writableBytes() >= bytes) {
      return last;
    }
    firstWrite();
    ByteBuf fresh = spare;
    if (fresh != null) {
      spare = null;
    } else {
      fresh = allocator.directBuffer(CHUNK_BYTES, CHUNK_BYTES);
    }
    tail = fresh;
    return fresh;
  }

  /** Counts what was appended to {@link #room}. */
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

  /** Appends a buffer as it is and takes it over. */
  void add(ByteBuf whole) {
    firstWrite();
    queued(whole.readableBytes());
    written.add(whole);
  }

  /** Takes the next buffer to write; null if nothing is left. */
  @Nullable ByteBuf next() {
    ByteBuf next = written.poll();
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

  /** Takes back a buffer that has been written. */
  void recycle(ByteBuf written) {
    if (spare == null && written.capacity() == CHUNK_BYTES) {
      spare = written.clear();
    } else {
      written.release();
    }
  }

  /** Forgets everything and gives all buffers back. */
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

  private void firstWrite() {
    ByteBuf last = tail;
    if (last != null) {
      tail = null;
      if (last.isReadable()) {
        written.add(last);
      } else {
        recycle(last);
      }
    }
  }
}
