package dev.headrace.cluster.read;

import dev.headrace.api.error.WireException;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An answer to this node itself. Its buffer becomes the batch. */
final class LocalReply implements ReadReply {
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  /** A buffer of at most this size is not worth a copy. */
  private static final int SMALL_BYTES = 4 << 10;

  private final BatchBuffers buffers;
  private final ReadRequest request;
  private final ReadHandler handler;
  private BatchBuffers.@Nullable Buffer out;
  private boolean answered;

  LocalReply(BatchBuffers buffers, ReadRequest request, ReadHandler handler) {
    this.buffers = buffers;
    this.request = request;
    this.handler = handler;
  }

  @Override
  public ByteBuffer entries(int capacityBytes) {
    requireUnanswered();
    release();
    int room = Math.min(capacityBytes, request.maxBytes());
    BatchBuffers.Buffer fresh = buffers.allocate(Math.max(1, room));
    out = fresh;
    return fresh.bytes().limit(room);
  }

  @Override
  public void answer(long epoch, List<SegmentPart> parts, long entryBytes, long sequence) {
    requireUnanswered();
    answered = true;
    BatchBuffers.Buffer filled = out;
    Batch batch =
        filled == null
            ? new Batch(
                epoch, NOTHING.duplicate(), List.copyOf(parts), entryBytes, sequence, () -> {})
            : batch(epoch, parts, entryBytes, sequence, filled);
    handler.received(batch);
  }

  /**
   * Makes the batch. It may wait for long, so it is copied if it fills only a small part of its
   * buffer.
   */
  private Batch batch(
      long epoch,
      List<SegmentPart> parts,
      long entryBytes,
      long sequence,
      BatchBuffers.Buffer filled) {
    BatchBuffers.Buffer kept = filled;
    ByteBuffer entries = filled.bytes().flip();
    int room = entries.capacity();
    if (room > SMALL_BYTES && entries.limit() < room / 2) {
      kept = buffers.allocate(Math.max(1, entries.limit()));
      entries = kept.bytes().put(entries).flip();
      filled.run();
    }
    return new Batch(epoch, entries, List.copyOf(parts), entryBytes, sequence, kept);
  }

  @Override
  public void fail(String reason) {
    requireUnanswered();
    answered = true;
    release();
    handler.failed(new WireException("this node did not answer a read: " + reason));
  }

  /** Fails the request unless it was answered. */
  void abandon(Throwable cause) {
    if (!answered) {
      answered = true;
      release();
      handler.failed(cause);
    }
  }

  private void requireUnanswered() {
    if (answered) {
      throw new IllegalStateException("the request was answered before");
    }
  }

  private void release() {
    if (out != null) {
      out.run();
      out = null;
    }
  }
}
