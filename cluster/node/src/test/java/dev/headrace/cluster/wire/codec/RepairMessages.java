package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.Messages.bytes;
import static dev.headrace.cluster.wire.codec.Messages.name;
import static dev.headrace.cluster.wire.codec.Messages.number;

import dev.headrace.replication.message.RepairMessage;
import dev.headrace.replication.message.RepairMessage.Compare;
import dev.headrace.replication.message.RepairMessage.Compared;
import dev.headrace.replication.message.RepairMessage.Difference;
import dev.headrace.replication.message.RepairMessage.Order;
import dev.headrace.replication.message.RepairMessage.RangeRepaired;
import dev.headrace.replication.message.RepairMessage.RepairRange;
import dev.headrace.replication.message.RepairMessage.Report;
import dev.headrace.replication.message.RepairStats;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.PositionRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The messages of repairs, with all kinds of contents. */
final class RepairMessages {
  private RepairMessages() {}

  static RepairMessage of(Random r) {
    return switch (r.nextInt(6)) {
      case 0 -> compare(r);
      case 1 -> compared(r);
      case 2 ->
          new RepairRange(
              name(r),
              r.nextInt(),
              r.nextInt(),
              number(r),
              number(r),
              number(r),
              number(r),
              Cursor.after(r.nextLong()),
              Cursor.after(r.nextLong(), bytes(r)),
              bytes(r));
      case 3 ->
          new RangeRepaired(
              name(r),
              r.nextInt(),
              number(r),
              number(r),
              number(r),
              r.nextBoolean(),
              r.nextInt(),
              r.nextInt(),
              r.nextInt());
      case 4 -> new Order(number(r), r.nextBoolean() ? List.of() : List.of(name(r)), bytes(r));
      default ->
          new Report(
              number(r),
              bytes(r),
              bytes(r),
              new RepairStats(number(r), number(r), number(r), number(r), number(r), number(r)));
    };
  }

  private static Compare compare(Random r) {
    int depth = 4 + r.nextInt(PositionRange.MAX_DEPTH - 4);
    PositionRange first = new PositionRange(depth, 0).following(r.nextInt(1 << 3));
    long[] hashes = r.longs(1 + r.nextInt(8)).toArray();
    return new Compare(
        name(r), r.nextInt(), number(r), number(r), number(r), number(r), first, hashes);
  }

  private static Compared compared(Random r) {
    List<Difference> differences = new ArrayList<>();
    for (int left = r.nextInt(RepairMessage.MAX_RANGES + 1); left > 0; left--) {
      differences.add(new Difference(r.nextInt(), r.nextInt()));
    }
    return new Compared(
        name(r), r.nextInt(), number(r), number(r), number(r), r.nextBoolean(), differences);
  }
}
