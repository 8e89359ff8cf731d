package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.WireOutput.boundOfName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeBoolean;
import static dev.headrace.cluster.wire.codec.WireOutput.writeName;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarInt;
import static dev.headrace.cluster.wire.codec.WireOutput.writeVarLong;

import dev.headrace.replication.message.CacheCounts;
import dev.headrace.replication.message.CountCaches;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** The binary forms of {@link CountCaches} and {@link CacheCounts}. Stateless. */
final class CountCodec {
  static final byte COUNT_CACHES = 22;
  static final byte CACHE_COUNTS = 23;

  /** More than the numbers of a message, or of a row, take together. */
  private static final long NUMBERS_BYTES = 40;

  private static final int LEAST_ROW_BYTES = 5;

  private CountCodec() {}

  static long boundBytes(CacheCounts m) {
    long bytes = NUMBERS_BYTES;
    for (CacheCounts.Row row : m.rows()) {
      bytes += NUMBERS_BYTES + boundOfName(row.cache()) + boundOfName(row.formats());
    }
    return bytes;
  }

  static void encode(CountCaches m, ByteBuf out) {
    out.writeByte(COUNT_CACHES);
    writeVarLong(out, m.number());
    writeName(out, m.after());
  }

  static CountCaches decodeQuestion(WireInput in) {
    return new CountCaches(in.readVarLong(), in.readName());
  }

  static void encode(CacheCounts m, ByteBuf out) {
    out.writeByte(CACHE_COUNTS);
    writeVarLong(out, m.number());
    writeVarInt(out, m.primarySegments());
    writeBoolean(out, m.more());
    writeVarInt(out, m.rows().size());
    for (CacheCounts.Row row : m.rows()) {
      writeName(out, row.cache());
      writeVarLong(out, row.entries());
      writeVarLong(out, row.bytes());
      writeVarLong(out, row.replicaBytes());
      writeName(out, row.formats());
    }
  }

  static CacheCounts decodeCounts(WireInput in) {
    long number = in.readVarLong();
    int primarySegments = in.readVarInt();
    boolean more = in.readBoolean();
    int count = in.readCount(CacheCounts.MAX_ROWS, LEAST_ROW_BYTES);
    List<CacheCounts.Row> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      rows.add(
          new CacheCounts.Row(
              in.readName(), in.readVarLong(), in.readVarLong(), in.readVarLong(), in.readName()));
    }
    return new CacheCounts(number, primarySegments, more, rows);
  }
}
