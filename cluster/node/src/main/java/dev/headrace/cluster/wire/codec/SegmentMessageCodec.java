package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.Form.segmentForm;
import static dev.headrace.cluster.wire.codec.WireOutput.NODE_ID_BYTES;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOf;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeConstant;
import static dev.headrace.cluster.wire.codec.WireOutput.writeList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeNodeId;
import static dev.headrace.cluster.wire.codec.WireOutput.writeNullableBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.replication.message.BeginCopy;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.message.PastOwners;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.ResultWindow;
import dev.headrace.replication.message.SegmentMessage;
import dev.headrace.replication.message.Settled;
import dev.headrace.replication.message.Standing;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The binary forms of the messages about one segment, except repairs: the {@link SegmentHead}, then
 * the other fields in order. Stateless.
 */
final class SegmentMessageCodec {

  /** More than all numbers of a mutation or a result take. */
  private static final long NUMBERS_BYTES = 160;

  private static final int LEAST_MUTATION_BYTES = 29;
  private static final int LEAST_PAST_OWNERS_BYTES = 2;
  private static final int LEAST_WINDOW_BYTES = 18;
  private static final int LEAST_RESULT_BYTES = 8;

  private static final byte TO_BE_READ = 0;
  private static final byte NO_ENTRIES = 1;
  private static final byte CARRIED = 2;

  private static final Operation.Kind[] KINDS = Operation.Kind.values();
  private static final Mutation.Change[] CHANGES = Mutation.Change.values();

  /** The indexes are sent. */
  static final List<Form<? extends SegmentMessage>> FORMS =
      List.of(
          segmentForm(
              Operation.class,
              m -> boundOf(m.key()) + boundOf(m.value()) + (long) boundOf(m.expected()),
              SegmentMessageCodec::encode,
              SegmentMessageCodec::operation),
          segmentForm(
              Replicate.class,
              m -> boundOfMutation(m.mutation()),
              SegmentMessageCodec::encode,
              SegmentMessageCodec::replicate),
          segmentForm(
              Replicated.class,
              m -> 0,
              SegmentMessageCodec::encode,
              SegmentMessageCodec::replicated),
          segmentForm(
              Settled.class, m -> 0, SegmentMessageCodec::encode, SegmentMessageCodec::settled),
          segmentForm(
              HistoryRequest.class,
              m -> 0,
              (m, out) -> {
                writeVarLong(out, m.afterSequence());
                writeVarLong(out, m.beganUnder());
              },
              SegmentMessageCodec::historyRequest),
          segmentForm(
              History.class,
              SegmentMessageCodec::boundOfHistory,
              SegmentMessageCodec::encode,
              SegmentMessageCodec::history),
          segmentForm(
              InSync.class,
              m -> 0,
              (m, out) -> writeVarLong(out, m.copyNumber()),
              SegmentMessageCodec::inSync),
          segmentForm(
              BeginCopy.class,
              SegmentMessageCodec::boundOfBegin,
              SegmentMessageCodec::encode,
              SegmentMessageCodec::beginCopy),
          segmentForm(
              Learned.class, m -> 0, SegmentMessageCodec::encode, SegmentMessageCodec::learned));

  private SegmentMessageCodec() {}

  // ---- Operations and mutations

  private static void encode(Operation m, ByteBuf out) {
    encode(m.id(), out);
    writeVarInt(out, m.id().attempt());
    out.writeInt(m.format());
    writeVarLong(out, m.admission());
    writeConstant(out, m.kind());
    writeBytes(out, m.key());
    writeNullableBytes(out, m.value());
    writeNullableBytes(out, m.expected());
    writeVarLong(out, m.versionTerm());
    writeVarLong(out, m.versionCounter());
    writeVarLong(out, m.expiryMillis());
    writeBoolean(out, m.wantPrevious());
    writeBoolean(out, m.reserve());
  }

  private static Operation operation(SegmentHead head, WireInput in) {
    return new Operation(
        new OperationId(in.readNodeId(), in.readVarLong(), in.readVarLong(), in.readVarInt()),
        head.cache(),
        in.readInt(),
        head.segment(),
        head.segmentEpoch(),
        head.epoch(),
        in.readVarLong(),
        in.readConstant(KINDS),
        in.readBytes(),
        in.readNullableBytes(),
        in.readNullableBytes(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readBoolean(),
        in.readBoolean());
  }

  private static void encode(OperationId id, ByteBuf out) {
    writeNodeId(out, id.caller());
    writeVarLong(out, id.sequence());
    writeVarLong(out, id.oldestOutstanding());
  }

  private static OperationId operationId(WireInput in) {
    return new OperationId(in.readNodeId(), in.readVarLong(), in.readVarLong());
  }

  private static long boundOfMutation(Mutation m) {
    return NUMBERS_BYTES + boundOf(m.key()) + boundOf(m.value()) + boundOf(m.previous());
  }

  private static void encode(Mutation m, ByteBuf out) {
    writeVarLong(out, m.term());
    writeVarLong(out, m.sequence());
    encode(m.id(), out);
    writeConstant(out, m.change());
    writeBytes(out, m.key());
    writeNullableBytes(out, m.value());
    writeVarLong(out, m.expiryMillis());
    writeBoolean(out, m.applied());
    writeNullableBytes(out, m.previous());
    writeVarLong(out, m.resultTerm());
    writeVarLong(out, m.resultCounter());
    writeVarLong(out, m.number());
  }

  private static Mutation mutation(WireInput in) {
    return new Mutation(
        in.readVarLong(),
        in.readVarLong(),
        operationId(in),
        in.readConstant(CHANGES),
        in.readBytes(),
        in.readNullableBytes(),
        in.readVarLong(),
        in.readBoolean(),
        in.readNullableBytes(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong());
  }

  private static void encode(Replicate m, ByteBuf out) {
    out.writeInt(m.format());
    writeVarLong(out, m.stableSequence());
    encode(m.mutation(), out);
  }

  private static Replicate replicate(SegmentHead head, WireInput in) {
    return new Replicate(
        head.cache(),
        in.readInt(),
        head.segment(),
        head.epoch(),
        head.segmentEpoch(),
        in.readVarLong(),
        mutation(in));
  }

  private static void encode(Replicated m, ByteBuf out) {
    writeVarLong(out, m.sequence());
    writeBoolean(out, m.inSync());
    writeBoolean(out, m.missing());
  }

  private static Replicated replicated(SegmentHead head, WireInput in) {
    return new Replicated(
        head.cache(),
        head.segment(),
        head.epoch(),
        head.segmentEpoch(),
        in.readVarLong(),
        in.readBoolean(),
        in.readBoolean());
  }

  private static void encode(Settled m, ByteBuf out) {
    writeVarLong(out, m.stableSequence());
    writeVarLong(out, m.copyNumber());
  }

  private static Settled settled(SegmentHead head, WireInput in) {
    return new Settled(
        head.cache(),
        head.segment(),
        head.epoch(),
        head.segmentEpoch(),
        in.readVarLong(),
        in.readVarLong());
  }

  // ---- Histories

  private static HistoryRequest historyRequest(SegmentHead head, WireInput in) {
    return new HistoryRequest(
        head.cache(),
        head.segment(),
        head.epoch(),
        head.segmentEpoch(),
        in.readVarLong(),
        in.readVarLong());
  }

  private static InSync inSync(SegmentHead head, WireInput in) {
    return new InSync(
        head.cache(), head.segment(), head.epoch(), head.segmentEpoch(), in.readVarLong());
  }

  private static long boundOfHistory(History m) {
    return boundOfList(m.pastOwners(), row -> 20 + (long) NODE_ID_BYTES * row.owners().size())
        + boundOfList(m.mutations(), SegmentMessageCodec::boundOfMutation);
  }

  private static void encode(History m, ByteBuf out) {
    out.writeInt(m.format());
    writeVarLong(out, m.sequence());
    writeVarLong(out, m.term());
    writeVarLong(out, m.servedTerm());
    encode(m.standing(), out);
    writeList(out, m.pastOwners(), SegmentMessageCodec::encode);
    writeVarLong(out, m.afterTerm());
    writeList(out, m.mutations(), SegmentMessageCodec::encode);
  }

  private static History history(SegmentHead head, WireInput in) {
    return new History(
        head.cache(),
        in.readInt(),
        head.segment(),
        head.epoch(),
        head.segmentEpoch(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        standing(in),
        in.readList(PastOwners.MAX_TOLD, LEAST_PAST_OWNERS_BYTES, SegmentMessageCodec::pastOwners),
        in.readVarLong(),
        in.readList(History.MAX_MUTATIONS, LEAST_MUTATION_BYTES, SegmentMessageCodec::mutation));
  }

  private static void encode(Standing standing, ByteBuf out) {
    writeBoolean(out, standing.copy());
    writeBoolean(out, standing.content());
    writeVarLong(out, standing.inSyncUnder());
    writeVarLong(out, standing.lostUnder());
    writeVarLong(out, standing.toldUnder());
    writeVarLong(out, standing.beganUnder());
  }

  private static Standing standing(WireInput in) {
    return new Standing(
        in.readBoolean(),
        in.readBoolean(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong());
  }

  private static void encode(PastOwners row, ByteBuf out) {
    writeVarLong(out, row.epoch());
    writeList(out, row.owners(), (owner, to) -> writeNodeId(to, owner));
  }

  private static PastOwners pastOwners(WireInput in) {
    return new PastOwners(
        in.readVarLong(), in.readList(Integer.MAX_VALUE, NODE_ID_BYTES, WireInput::readNodeId));
  }

  // ---- Copies

  private static long boundOfBegin(BeginCopy m) {
    return boundOf(m.entries())
        + boundOfList(
            m.results(),
            window ->
                32 + boundOfList(window.results(), one -> NUMBERS_BYTES + boundOf(one.previous())));
  }

  private static void encode(BeginCopy m, ByteBuf out) {
    out.writeInt(m.format());
    writeVarLong(out, m.copyNumber());
    writeVarLong(out, m.sequence());
    writeVarLong(out, m.term());
    writeVarLong(out, m.beganUnder());
    encode(m.entries(), out);
    writeList(out, m.results(), SegmentMessageCodec::encode);
  }

  /** As a truth value said before entries came along, which is sent to nodes that know the form. */
  private static void encode(byte @Nullable [] entries, ByteBuf out) {
    if (entries == null) {
      out.writeByte(TO_BE_READ);
    } else if (entries.length == 0) {
      out.writeByte(NO_ENTRIES);
    } else {
      out.writeByte(CARRIED);
      writeBytes(out, entries);
    }
  }

  private static byte @Nullable [] entries(WireInput in) {
    byte form = in.readByte();
    return switch (form) {
      case TO_BE_READ -> null;
      case NO_ENTRIES -> new byte[0];
      case CARRIED -> in.readBytes();
      default -> throw in.damaged("the entries of a copy are in form " + form);
    };
  }

  private static BeginCopy beginCopy(SegmentHead head, WireInput in) {
    return new BeginCopy(
        head.cache(),
        in.readInt(),
        head.segment(),
        head.epoch(),
        head.segmentEpoch(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        entries(in),
        in.readList(Integer.MAX_VALUE, LEAST_WINDOW_BYTES, SegmentMessageCodec::window));
  }

  private static void encode(ResultWindow window, ByteBuf out) {
    writeNodeId(out, window.caller());
    writeVarLong(out, window.forgottenBelow());
    writeList(out, window.results(), SegmentMessageCodec::encode);
  }

  private static ResultWindow window(WireInput in) {
    return new ResultWindow(
        in.readNodeId(),
        in.readVarLong(),
        in.readList(Integer.MAX_VALUE, LEAST_RESULT_BYTES, SegmentMessageCodec::result));
  }

  private static void encode(ResultWindow.Result result, ByteBuf out) {
    writeVarLong(out, result.callerSequence());
    writeVarLong(out, result.sequence());
    writeBoolean(out, result.applied());
    writeNullableBytes(out, result.previous());
    writeBoolean(out, result.complete());
    writeVarLong(out, result.term());
    writeVarLong(out, result.counter());
    writeVarLong(out, result.number());
  }

  private static ResultWindow.Result result(WireInput in) {
    return new ResultWindow.Result(
        in.readVarLong(),
        in.readVarLong(),
        in.readBoolean(),
        in.readNullableBytes(),
        in.readBoolean(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong());
  }

  private static void encode(Learned m, ByteBuf out) {
    writeVarLong(out, m.copyNumber());
    writeVarLong(out, m.sequence());
    writeBoolean(out, m.begun());
    writeVarLong(out, m.bytes());
    writeBoolean(out, m.complete());
    writeBoolean(out, m.missing());
  }

  private static Learned learned(SegmentHead head, WireInput in) {
    return new Learned(
        head.cache(),
        head.segment(),
        head.epoch(),
        head.segmentEpoch(),
        in.readVarLong(),
        in.readVarLong(),
        in.readBoolean(),
        in.readVarLong(),
        in.readBoolean(),
        in.readBoolean());
  }
}
