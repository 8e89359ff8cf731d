package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.WireOutput.boundOf;
import static dev.headrace.cluster.wire.codec.WireOutput.boundOfName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeConstant;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeNodeId;
import static dev.headrace.cluster.wire.codec.WireOutput.writeNullableBytes;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.CacheCounts;
import dev.headrace.replication.message.CountCaches;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.MemoryNotice;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.PastOwners;
import dev.headrace.replication.message.Probe;
import dev.headrace.replication.message.RepairMessage;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.ResultsReceived;
import dev.headrace.replication.message.Settled;
import dev.headrace.replication.message.Standing;
import dev.headrace.replication.message.UsageNotice;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** The binary form of {@link Message}: a byte that tells the kind, then its fields in order. */
public final class MessageCodec implements BodyCodec<Message> {
  private static final byte OPERATION = 1;
  private static final byte OPERATION_REPLY = 2;
  private static final byte REPLICATE = 3;
  private static final byte REPLICATED = 4;
  private static final byte HISTORY_REQUEST = 5;
  private static final byte HISTORY = 6;
  private static final byte TABLE_NOTICE = 7;
  private static final byte SETTLED = 8;
  private static final byte RESULTS_RECEIVED = 18;
  private static final byte MEMORY_NOTICE = 19;
  private static final byte PROBE = 20;
  private static final byte USAGE_NOTICE = 21;

  /** More than the numbers of any record take together. */
  private static final long NUMBERS_BYTES = 160;

  private static final int LEAST_MUTATION_BYTES = 29;

  private static final int NODE_ID_BYTES = 16;

  private static final int LEAST_PAST_OWNERS_BYTES = 2;

  /** The most bytes of a number of variable length. */
  private static final int MAX_LONG_BYTES = 10;

  private static final Operation.Kind[] KINDS = Operation.Kind.values();
  private static final OperationReply.Outcome[] OUTCOMES = OperationReply.Outcome.values();
  private static final Mutation.Change[] CHANGES = Mutation.Change.values();

  @Override
  public long boundBytes(Message message) {
    if (message instanceof Operation m) {
      return NUMBERS_BYTES
          + boundOfName(m.cache())
          + boundOf(m.key())
          + boundOf(m.value())
          + boundOf(m.expected());
    } else if (message instanceof OperationReply m) {
      return NUMBERS_BYTES + boundOf(m.value());
    } else if (message instanceof BulkRead m) {
      return BulkCodec.boundBytes(m);
    } else if (message instanceof BulkReadReply m) {
      return BulkCodec.boundBytes(m);
    } else if (message instanceof Replicate m) {
      return NUMBERS_BYTES + boundOfName(m.cache()) + boundOfMutation(m.mutation());
    } else if (message instanceof Replicated m) {
      return NUMBERS_BYTES + boundOfName(m.cache());
    } else if (message instanceof HistoryRequest m) {
      return NUMBERS_BYTES + boundOfName(m.cache());
    } else if (message instanceof History m) {
      long bytes = NUMBERS_BYTES + boundOfName(m.cache());
      for (PastOwners row : m.pastOwners()) {
        bytes += 2 * MAX_LONG_BYTES + (long) NODE_ID_BYTES * row.owners().size();
      }
      for (Mutation mutation : m.mutations()) {
        bytes += boundOfMutation(mutation);
      }
      return bytes;
    } else if (message instanceof Settled m) {
      return NUMBERS_BYTES + boundOfName(m.cache());
    } else if (message instanceof MemoryNotice) {
      return NUMBERS_BYTES;
    }
    if (message instanceof TableNotice m) {
      return NoticeCodec.boundBytes(m);
    } else if (message instanceof ResultsReceived m) {
      return NUMBERS_BYTES + (long) MAX_LONG_BYTES * m.oldestOutstanding().length;
    }
    if (message instanceof Probe || message instanceof UsageNotice) {
      return NUMBERS_BYTES;
    }
    if (message instanceof CountCaches m) {
      return NUMBERS_BYTES + boundOfName(m.after());
    } else if (message instanceof CacheCounts m) {
      return CountCodec.boundBytes(m);
    }
    return message instanceof RepairMessage m
        ? RepairCodec.boundBytes(m)
        : CopyCodec.boundBytes(message);
  }

  private static long boundOfMutation(Mutation mutation) {
    return NUMBERS_BYTES
        + boundOf(mutation.key())
        + boundOf(mutation.value())
        + boundOf(mutation.previous());
  }

  @Override
  public void encode(Message message, ByteBuf out) {
    if (message instanceof Operation m) {
      encodeOperation(m, out);
    } else if (message instanceof OperationReply m) {
      encodeReply(m, out);
    } else if (message instanceof BulkRead m) {
      BulkCodec.encode(m, out);
    } else if (message instanceof BulkReadReply m) {
      BulkCodec.encode(m, out);
    } else if (message instanceof Replicate m) {
      encodeReplicate(m, out);
    } else if (message instanceof Replicated m) {
      encodeReplicated(m, out);
    } else if (message instanceof HistoryRequest m) {
      encodeHistoryRequest(m, out);
    } else if (message instanceof History m) {
      encodeHistory(m, out);
    } else if (message instanceof TableNotice m) {
      out.writeByte(TABLE_NOTICE);
      NoticeCodec.encode(m, out);
    } else if (message instanceof Settled m) {
      encodeSettled(m, out);
    } else if (message instanceof ResultsReceived m) {
      encodeReceived(m, out);
    } else if (message instanceof MemoryNotice m) {
      out.writeByte(MEMORY_NOTICE);
      writeVarLong(out, m.usedBytes());
      writeVarLong(out, m.limitBytes());
    } else if (message instanceof Probe m) {
      out.writeByte(PROBE);
      writeVarLong(out, m.number());
      writeBoolean(out, m.answer());
    } else if (message instanceof UsageNotice m) {
      out.writeByte(USAGE_NOTICE);
      NoticeCodec.encode(m, out);
    } else if (message instanceof CountCaches m) {
      CountCodec.encode(m, out);
    } else if (message instanceof CacheCounts m) {
      CountCodec.encode(m, out);
    } else if (message instanceof RepairMessage m) {
      RepairCodec.encode(m, out);
    } else {
      CopyCodec.encode(message, out);
    }
  }

  @Override
  public Message decode(WireInput in) {
    Message message;
    try {
      message = decode(in.readByte(), in);
    } catch (IllegalArgumentException refusedByTheMessage) {
      throw in.damaged(String.valueOf(refusedByTheMessage.getMessage()));
    }
    in.end();
    return message;
  }

  private static Message decode(byte kind, WireInput in) {
    return switch (kind) {
      case OPERATION -> decodeOperation(in);
      case OPERATION_REPLY -> decodeReply(in);
      case REPLICATE -> decodeReplicate(in);
      case REPLICATED -> decodeReplicated(in);
      case HISTORY_REQUEST -> decodeHistoryRequest(in);
      case HISTORY -> decodeHistory(in);
      case TABLE_NOTICE -> NoticeCodec.decode(in);
      case SETTLED -> decodeSettled(in);
      case RESULTS_RECEIVED -> decodeReceived(in);
      case MEMORY_NOTICE -> new MemoryNotice(in.readVarLong(), in.readVarLong());
      case PROBE -> new Probe(in.readVarLong(), in.readBoolean());
      case USAGE_NOTICE -> NoticeCodec.decodeUsage(in);
      case BulkCodec.BULK_READ -> BulkCodec.decodeRead(in);
      case BulkCodec.BULK_READ_REPLY -> BulkCodec.decodeReply(in);
      case CountCodec.COUNT_CACHES -> CountCodec.decodeQuestion(in);
      case CountCodec.CACHE_COUNTS -> CountCodec.decodeCounts(in);
      default ->
          kind >= RepairCodec.FIRST_KIND
              ? RepairCodec.decode(kind, in)
              : CopyCodec.decode(kind, in);
    };
  }

  private static void encodeOperation(Operation m, ByteBuf out) {
    out.writeByte(OPERATION);
    encodeId(m.id(), out);
    writeVarInt(out, m.id().attempt());
    writeName(out, m.cache());
    out.writeInt(m.format());
    writeVarInt(out, m.segment());
    writeVarLong(out, m.segmentEpoch());
    writeVarLong(out, m.epoch());
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

  private static Operation decodeOperation(WireInput in) {
    return new Operation(
        new OperationId(in.readNodeId(), in.readVarLong(), in.readVarLong(), in.readVarInt()),
        in.readName(),
        in.readInt(),
        in.readVarInt(),
        in.readVarLong(),
        in.readVarLong(),
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

  private static void encodeReply(OperationReply m, ByteBuf out) {
    out.writeByte(OPERATION_REPLY);
    writeVarLong(out, m.sequence());
    writeConstant(out, m.outcome());
    writeBoolean(out, m.applied());
    writeNullableBytes(out, m.value());
    writeVarLong(out, m.versionTerm());
    writeVarLong(out, m.versionCounter());
    writeVarLong(out, m.number());
    writeVarLong(out, m.epoch());
  }

  private static OperationReply decodeReply(WireInput in) {
    return new OperationReply(
        in.readVarLong(),
        in.readConstant(OUTCOMES),
        in.readBoolean(),
        in.readNullableBytes(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong());
  }

  private static void encodeReplicate(Replicate m, ByteBuf out) {
    out.writeByte(REPLICATE);
    writeName(out, m.cache());
    out.writeInt(m.format());
    writeVarInt(out, m.segment());
    writeVarLong(out, m.epoch());
    writeVarLong(out, m.segmentEpoch());
    writeVarLong(out, m.stableSequence());
    encodeMutation(m.mutation(), out);
  }

  private static Replicate decodeReplicate(WireInput in) {
    return new Replicate(
        in.readName(),
        in.readInt(),
        in.readVarInt(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        decodeMutation(in));
  }

  private static void encodeReplicated(Replicated m, ByteBuf out) {
    out.writeByte(REPLICATED);
    writeName(out, m.cache());
    writeVarInt(out, m.segment());
    writeVarLong(out, m.epoch());
    writeVarLong(out, m.segmentEpoch());
    writeVarLong(out, m.sequence());
    writeBoolean(out, m.inSync());
    writeBoolean(out, m.missing());
  }

  private static Replicated decodeReplicated(WireInput in) {
    return new Replicated(
        in.readName(),
        in.readVarInt(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readBoolean(),
        in.readBoolean());
  }

  private static void encodeHistoryRequest(HistoryRequest m, ByteBuf out) {
    out.writeByte(HISTORY_REQUEST);
    writeName(out, m.cache());
    writeVarInt(out, m.segment());
    writeVarLong(out, m.epoch());
    writeVarLong(out, m.segmentEpoch());
    writeVarLong(out, m.afterSequence());
    writeVarLong(out, m.beganUnder());
  }

  private static HistoryRequest decodeHistoryRequest(WireInput in) {
    return new HistoryRequest(
        in.readName(),
        in.readVarInt(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong());
  }

  private static void encodeHistory(History m, ByteBuf out) {
    out.writeByte(HISTORY);
    writeName(out, m.cache());
    out.writeInt(m.format());
    writeVarInt(out, m.segment());
    writeVarLong(out, m.epoch());
    writeVarLong(out, m.segmentEpoch());
    writeVarLong(out, m.sequence());
    writeVarLong(out, m.term());
    writeVarLong(out, m.servedTerm());
    encodeStanding(m.standing(), out);
    encodePastOwners(m.pastOwners(), out);
    writeVarLong(out, m.afterTerm());
    writeVarInt(out, m.mutations().size());
    for (Mutation mutation : m.mutations()) {
      encodeMutation(mutation, out);
    }
  }

  private static History decodeHistory(WireInput in) {
    String cache = in.readName();
    int format = in.readInt();
    int segment = in.readVarInt();
    long epoch = in.readVarLong();
    long segmentEpoch = in.readVarLong();
    long sequence = in.readVarLong();
    long term = in.readVarLong();
    long servedTerm = in.readVarLong();
    Standing standing = decodeStanding(in);
    List<PastOwners> pastOwners = decodePastOwners(in);
    long afterTerm = in.readVarLong();
    int count = in.readCount(History.MAX_MUTATIONS, LEAST_MUTATION_BYTES);
    List<Mutation> mutations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      mutations.add(decodeMutation(in));
    }
    return new History(
        cache,
        format,
        segment,
        epoch,
        segmentEpoch,
        sequence,
        term,
        servedTerm,
        standing,
        pastOwners,
        afterTerm,
        mutations);
  }

  private static void encodeStanding(Standing standing, ByteBuf out) {
    writeBoolean(out, standing.copy());
    writeBoolean(out, standing.content());
    writeVarLong(out, standing.inSyncUnder());
    writeVarLong(out, standing.lostUnder());
    writeVarLong(out, standing.toldUnder());
    writeVarLong(out, standing.beganUnder());
  }

  private static Standing decodeStanding(WireInput in) {
    return new Standing(
        in.readBoolean(),
        in.readBoolean(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong());
  }

  private static void encodePastOwners(List<PastOwners> rows, ByteBuf out) {
    writeVarInt(out, rows.size());
    for (PastOwners row : rows) {
      writeVarLong(out, row.epoch());
      writeVarInt(out, row.owners().size());
      row.owners().forEach(owner -> writeNodeId(out, owner));
    }
  }

  private static List<PastOwners> decodePastOwners(WireInput in) {
    int count = in.readCount(PastOwners.MAX_TOLD, LEAST_PAST_OWNERS_BYTES);
    List<PastOwners> rows = new ArrayList<>(count);
    for (int row = 0; row < count; row++) {
      long epoch = in.readVarLong();
      int owners = in.readCount(Integer.MAX_VALUE, NODE_ID_BYTES);
      List<NodeId> nodes = new ArrayList<>(owners);
      for (int owner = 0; owner < owners; owner++) {
        nodes.add(in.readNodeId());
      }
      rows.add(new PastOwners(epoch, nodes));
    }
    return rows;
  }

  private static void encodeSettled(Settled m, ByteBuf out) {
    out.writeByte(SETTLED);
    writeName(out, m.cache());
    writeVarInt(out, m.segment());
    writeVarLong(out, m.epoch());
    writeVarLong(out, m.segmentEpoch());
    writeVarLong(out, m.stableSequence());
    writeVarLong(out, m.copyNumber());
  }

  private static Settled decodeSettled(WireInput in) {
    return new Settled(
        in.readName(),
        in.readVarInt(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong(),
        in.readVarLong());
  }

  private static void encodeReceived(ResultsReceived m, ByteBuf out) {
    out.writeByte(RESULTS_RECEIVED);
    writeVarInt(out, m.oldestOutstanding().length);
    for (long oldest : m.oldestOutstanding()) {
      writeVarLong(out, oldest);
    }
  }

  private static ResultsReceived decodeReceived(WireInput in) {
    long[] oldest = new long[in.readCount(ResultsReceived.MAX_SHARES, 1)];
    for (int i = 0; i < oldest.length; i++) {
      oldest[i] = in.readVarLong();
    }
    return new ResultsReceived(oldest);
  }

  private static void encodeMutation(Mutation m, ByteBuf out) {
    writeVarLong(out, m.term());
    writeVarLong(out, m.sequence());
    encodeId(m.id(), out);
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

  private static Mutation decodeMutation(WireInput in) {
    return new Mutation(
        in.readVarLong(),
        in.readVarLong(),
        decodeId(in),
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

  private static void encodeId(OperationId id, ByteBuf out) {
    writeNodeId(out, id.caller());
    writeVarLong(out, id.sequence());
    writeVarLong(out, id.oldestOutstanding());
  }

  private static OperationId decodeId(WireInput in) {
    return new OperationId(in.readNodeId(), in.readVarLong(), in.readVarLong());
  }
}
