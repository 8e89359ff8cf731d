package dev.headrace.cluster.wire;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.connection.Wire;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An answer to this node itself: the same buffers, but no frame and no other thread. */
final class LocalReply implements ReadReply {
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  /** Buffers up to here are not worth a copy. */
  private static final int SMALL_BYTES = 4 << 10;

  private final Wire wire;
  private final ReadRequest request;
  private final ReadHandler handler;
  private @Nullable ByteBuf out;
  private @Nullable ByteBuffer entries;
  private boolean answered;

  LocalReply(Wire wire, ReadRequest request, ReadHandler handler) {
    this.wire = wire;
    this.request = request;
    this.handler = handler;
  }

  @Override
  public ByteBuffer entries(int capacityBytes) {
    requireUnanswered();
    release();
    int room = Math.min(capacityBytes, request.maxBytes());
    ByteBuf fresh = wire.allocator().directBuffer(Math.max(1, room));
    out = fresh;
    ByteBuffer view = fresh.nioBuffer(0, room);
    entries = view;
    return view;
  }

  @Override
  public void answer(long epoch, List<SegmentPart> parts, long entryBytes) {
    requireUnanswered();
    answered = true;
    ByteBuf body = out;
    ByteBuffer view = entries;
    Batch batch =
        body == null || view == null
            ? new Batch(epoch, NOTHING.duplicate(), List.copyOf(parts), entryBytes, () -> {})
            : batch(epoch, parts, entryBytes, body, view);
    handler.received(batch);
  }

  /** A batch may wait for long: it does not keep a buffer of which it fills only a small part. */
  private Batch batch(
      long epoch, List<SegmentPart> parts, long entryBytes, ByteBuf room, ByteBuffer view) {
    int bytes = view.position();
    ByteBuf kept = room;
    if (room.capacity() > SMALL_BYTES && bytes < room.capacity() / 2) {
      kept = wire.allocator().directBuffer(Math.max(1, bytes));
      kept.setBytes(0, view.flip());
      room.release();
    }
    ByteBuffer entries = kept.nioBuffer(0, bytes);
    return new Batch(epoch, entries, List.copyOf(parts), entryBytes, kept::release);
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
      out.release();
      out = null;
      entries = null;
    }
  }
}
