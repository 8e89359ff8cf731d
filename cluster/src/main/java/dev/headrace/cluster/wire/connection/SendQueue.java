package dev.headrace.cluster.wire.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What is to be written to one connection: encoded frames, one behind the other in a few buffers,
 * so that many small ones leave with one write. Guarded by its {@link Link}'s lock.
 */
final class SendQueue {

  /** Size of the buffers for small frames. */
  static final int CHUNK_BYTES = 32 << 10;

  /** Beyond this a connection is given up: the peer does not keep up, or cannot be reached. */
  static final long MAX_QUEUED_BYTES = 64L << 20;

  private final ByteBufAllocator allocator;
  private final ArrayDeque<ByteBuf> sealed = new ArrayDeque<>();
  private @Nullable ByteBuf tail;
  private @Nullable ByteBuf spare;
  private long queuedBytes;

  SendQueue(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  boolean full() {
    return queuedBytes > MAX_QUEUED_BYTES;
  }

  /** A buffer to append at most so many bytes to, which may be at most {@link #CHUNK_BYTES}. */
  ByteBuf room(int bytes) {
    ByteBuf last = tail;
    if (last != null && last.writableBytes() >= bytes) {
      return last;
    }
    seal();
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
    queuedBytes += bytes;
  }

  /** Appends a buffer as it is and takes it over. */
  void add(ByteBuf whole) {
    seal();
    queuedBytes += whole.readableBytes();
    sealed.add(whole);
  }

  /** Takes the next buffer to write; null if nothing is left. */
  @Nullable ByteBuf next() {
    ByteBuf next = sealed.poll();
    if (next == null && tail != null && tail.isReadable()) {
      next = tail;
      tail = null;
    }
    if (next != null) {
      queuedBytes -= next.readableBytes();
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
    queuedBytes = 0;
  }

  private void seal() {
    ByteBuf last = tail;
    if (last != null) {
      tail = null;
      if (last.isReadable()) {
        sealed.add(last);
      } else {
        recycle(last);
      }
    }
  }
}
