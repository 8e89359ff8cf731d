package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.Form.form;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOf;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfList;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeConstant;
import static dev.headrace.cluster.wire.codec.WireOutput.writeCursor;
import static dev.headrace.cluster.wire.codec.WireOutput.writeList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.replication.message.ChangesRead;
import dev.headrace.replication.message.ChangesReply;
import dev.headrace.replication.message.ReplicationMessage;
import dev.headrace.stream.change.ChangeAnswer;
import dev.headrace.stream.change.ChangeQuery;
import dev.headrace.stream.entry.Cursor;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** The binary forms of questions for changes, and of their answers. Stateless. */
final class ChangeMessageCodec {
  private static final int LEAST_QUESTION_BYTES = 6;
  private static final int LEAST_PART_BYTES = 7;
  private static final int PART_BYTES = 40;

  private static final ChangeAnswer.Status[] STATUSES = ChangeAnswer.Status.values();

  /** The indexes are sent. */
  static final List<Form<? extends ReplicationMessage>> FORMS =
      List.of(
          form(
              ChangesRead.class,
              m ->
                  boundOfName(m.query().cache())
                      + boundOfList(m.query().parts(), ChangeMessageCodec::boundOfPart),
              ChangeMessageCodec::encode,
              ChangeMessageCodec::changesRead),
          form(
              ChangesReply.class,
              m ->
                  boundOfList(m.answer().parts(), part -> PART_BYTES + part.cursor().encodedBytes())
                      + boundOf(m.answer().bytes()),
              ChangeMessageCodec::encode,
              ChangeMessageCodec::changesReply));

  private ChangeMessageCodec() {}

  private static long boundOfPart(ChangeQuery.Part part) {
    Cursor content = part.content();
    return (long) PART_BYTES + (content == null ? 0 : content.encodedBytes());
  }

  private static void encode(ChangesRead m, ByteBuf out) {
    ChangeQuery query = m.query();
    writeVarLong(out, m.number());
    writeName(out, query.cache());
    out.writeInt(query.format());
    out.writeInt(query.reader());
    writeBoolean(out, query.previous());
    writeVarInt(out, query.maxBytes());
    writeVarInt(out, query.waitMillis());
    writeList(out, query.parts(), ChangeMessageCodec::encode);
  }

  private static void encode(ChangeQuery.Part part, ByteBuf out) {
    Cursor content = part.content();
    writeVarInt(out, part.segment());
    writeVarInt(out, part.incarnation());
    writeVarLong(out, part.next());
    writeVarLong(out, part.limit() - part.next());
    writeVarLong(out, part.term() + 1);
    writeBoolean(out, content != null);
    if (content != null) {
      writeCursor(out, content);
    }
  }

  private static ChangesRead changesRead(WireInput in) {
    return new ChangesRead(
        in.readVarLong(),
        new ChangeQuery(
            in.readName(),
            in.readInt(),
            in.readInt(),
            in.readBoolean(),
            in.readVarInt(),
            in.readVarInt(),
            in.readList(
                ChangeQuery.MAX_PARTS, LEAST_QUESTION_BYTES, ChangeMessageCodec::question)));
  }

  private static ChangeQuery.Part question(WireInput in) {
    int segment = in.readVarInt();
    int incarnation = in.readVarInt();
    long next = in.readVarLong();
    long limit = next + in.readVarLong();
    return new ChangeQuery.Part(
        segment,
        incarnation,
        next,
        limit,
        in.readVarLong() - 1,
        in.readBoolean() ? in.readCursor() : null);
  }

  private static void encode(ChangesReply m, ByteBuf out) {
    writeVarLong(out, m.number());
    writeList(out, m.answer().parts(), ChangeMessageCodec::encode);
    writeBytes(out, m.answer().bytes());
  }

  private static void encode(ChangeAnswer.Part part, ByteBuf out) {
    writeVarInt(out, part.segment());
    writeConstant(out, part.status());
    writeVarLong(out, part.next());
    writeVarLong(out, part.term() + 1);
    writeBoolean(out, part.stable());
    writeCursor(out, part.cursor());
    writeVarInt(out, part.length());
  }

  private static ChangesReply changesReply(WireInput in) {
    return new ChangesReply(
        in.readVarLong(),
        new ChangeAnswer(
            in.readList(ChangeQuery.MAX_PARTS, LEAST_PART_BYTES, ChangeMessageCodec::part),
            in.readBytes()));
  }

  private static ChangeAnswer.Part part(WireInput in) {
    return new ChangeAnswer.Part(
        in.readVarInt(),
        in.readConstant(STATUSES),
        in.readVarLong(),
        in.readVarLong() - 1,
        in.readBoolean(),
        in.readCursor(),
        in.readVarInt());
  }
}
