package dev.headrace.cluster.node.simulation;

import dev.headrace.cluster.wire.codec.AnswerCodec;
import dev.headrace.cluster.wire.codec.MessageCodec;
import dev.headrace.cluster.wire.codec.ReadRequestCodec;
import dev.headrace.cluster.wire.codec.WireInput;
import dev.headrace.stream.Message;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;

/**
 * Messages, requests and batches in their binary form, by the codecs of the production code. What
 * arrives has nothing in common with what was sent but its bytes.
 */
final class OnTheWire {
  static final byte RUBBISH = (byte) 0xEE;

  private static final int USUAL_BYTES = 1 << 10;

  private final MessageCodec messages = new MessageCodec();
  private final ReadRequestCodec requests = new ReadRequestCodec();
  private final WireInput in = new WireInput();
  private final ByteBuf out = Unpooled.buffer(USUAL_BYTES);

  byte[] encode(Message message) {
    out.clear();
    messages.encode(message, out);
    return written(messages.boundBytes(message), message);
  }

  Message message(byte[] bytes) {
    return messages.decode(in.over(Unpooled.wrappedBuffer(bytes)));
  }

  byte[] encode(ReadRequest request) {
    out.clear();
    requests.encode(request, out);
    return written(requests.boundBytes(request), request);
  }

  ReadRequest request(byte[] bytes) {
    return requests.decode(in.over(Unpooled.wrappedBuffer(bytes)));
  }

  byte[] encode(Batch batch) {
    int entryBytes = batch.entries().remaining();
    out.clear();
    out.ensureWritable(AnswerCodec.ENTRIES_AT);
    AnswerCodec.encodeFront(
        out, 0, batch.epoch(), batch.entryBytes(), batch.sequence(), entryBytes);
    out.writerIndex(AnswerCodec.ENTRIES_AT);
    out.writeBytes(batch.entries().duplicate());
    AnswerCodec.encodeParts(batch.parts(), out);
    long bound = AnswerCodec.ENTRIES_AT + entryBytes + AnswerCodec.boundOfParts(batch.parts());
    return written(bound, batch.parts());
  }

  /** What a request is answered with; whoever looks at it after its release finds rubbish. */
  Batch batch(byte[] bytes, ReadRequest request, Runnable release) {
    ByteBuf body = Unpooled.wrappedBuffer(bytes);
    int entryBytes = AnswerCodec.skipEntries(body, in.over(body), request.maxBytes());
    List<SegmentPart> parts = AnswerCodec.decodeParts(in.over(body), request.maxEntries());
    return AnswerCodec.batch(
        body,
        0,
        entryBytes,
        parts,
        () -> {
          Arrays.fill(bytes, RUBBISH);
          release.run();
        });
  }

  /** The room that production reserves must do. */
  private byte[] written(long boundBytes, Object what) {
    if (out.readableBytes() > boundBytes) {
      throw new AssertionError(
          "%d bytes, no more than %d were announced, of %s"
              .formatted(out.readableBytes(), boundBytes, what));
    }
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }
}
