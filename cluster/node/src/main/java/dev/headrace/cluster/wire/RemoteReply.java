package dev.headrace.cluster.wire;

import dev.headrace.cluster.read.ReadReply;
import dev.headrace.cluster.wire.codec.AnswerCodec;
import dev.headrace.cluster.wire.connection.Frame;
import dev.headrace.cluster.wire.connection.Handshake;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is sent to another node. Its one buffer has room for the header before the entries
 * and for the parts after them, so that entries are copied once, from the store into the outgoing
 * buffer.
 */
final class RemoteReply implements ReadReply {
  private static final int ENTRIES_AT = Frame.HEADER_BYTES + AnswerCodec.ENTRIES_AT;

  private final ReadServer server;
  private final ReadRequest request;
  private final long correlation;
  private final int protocol;
  private @Nullable ByteBuf out;
  private @Nullable ByteBuffer entries;
  private boolean answered;

  /** Answers in the version of the protocol in which the request came. */
  RemoteReply(ReadServer server, ReadRequest request, long correlation, int protocol) {
    this.server = server;
    this.request = request;
    this.correlation = correlation;
    this.protocol = protocol;
  }

  @Override
  public ByteBuffer entries(int capacityBytes) {
    requireUnanswered();
    release();
    int room = Math.min(capacityBytes, Math.min(request.maxBytes(), server.batchLimitBytes()));
    ByteBuf fresh = allocate(room);
    out = fresh;
    ByteBuffer view = fresh.nioBuffer(ENTRIES_AT, room);
    entries = view;
    return view;
  }

  private ByteBuf allocate(int room) {
    int partsRoom = AnswerCodec.roomForParts(request.segments().length);
    return server.buffer(ENTRIES_AT + room + partsRoom);
  }

  @Override
  public void answer(long epoch, List<SegmentPart> parts, long entryBytes, long sequence) {
    requireUnanswered();
    ByteBuf body = out;
    if (body == null) {
      body = allocate(0);
      out = body; // to be released if the answer cannot be completed
    }
    int entriesBytes = entries == null ? 0 : entries.position();
    AnswerCodec.encodeFront(body, Frame.HEADER_BYTES, epoch, entryBytes, sequence, entriesBytes);
    body.writerIndex(ENTRIES_AT + entriesBytes);
    AnswerCodec.encodeParts(parts, body); // grows the buffer if a cursor carries a long key
    new Frame(protocol).write(body, 0, Frame.ANSWER, correlation);
    out = null;
    entries = null;
    answered = true;
    server.send(request, body);
  }

  @Override
  public void fail(String reason) {
    requireUnanswered();
    release();
    answered = true;
    ByteBuf body;
    try {
      body = server.buffer(Handshake.LIMIT_BYTES);
    } catch (OutOfMemoryError e) {
      server.giveUp(e); // the other node must not wait for ever
      return;
    }
    body.writerIndex(Frame.HEADER_BYTES);
    Handshake.encodeReason(reason, body);
    new Frame(protocol).write(body, 0, Frame.READ_FAILED, correlation);
    server.send(request, body);
  }

  /** Fails the request, unless it was answered. */
  void abandon(String reason) {
    if (!answered) {
      fail(reason);
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
