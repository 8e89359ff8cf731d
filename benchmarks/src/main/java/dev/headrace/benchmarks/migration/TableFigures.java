package dev.headrace.benchmarks.migration;

import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableEdit;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a table costs at a given size, on one thread.
 *
 * <p>{@code stamp}: nanoseconds by which one changed row makes a change dearer because of the
 * stamp. That work is to compute the row's stamp before the change, which is taken out of the sum,
 * and after it, which is put in; so two rows' stamps are computed, in random order over the table.
 * For comparison {@code apply} is everything that a change costs, with {@value #BATCH} rows in a
 * delta.
 */
final class TableFigures {

  private static final int MEMBERS = 10;
  private static final int OWNERS = 2;
  private static final int BATCH = 1024;
  private static final int ROUNDS = 7;
  private static final int LOOKS = 1 << 18;
  private static final long SEED = 17;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final List<Member> members = new ArrayList<>();
  private SegmentTable table;

  private TableFigures(int segments) {
    int[][] rows = new int[segments][];
    for (int i = 0; i < MEMBERS; i++) {
      NodeId id = new NodeId(random.nextLong(), random.nextLong());
      members.add(new Member(id, "node-" + i, "127.0.0.1", 7000 + i, "", 1));
    }
    for (int segment = 0; segment < segments; segment++) {
      int first = random.nextInt(MEMBERS);
      rows[segment] = new int[] {first, (first + 1 + random.nextInt(MEMBERS - 1)) % MEMBERS};
    }
    TableHeader header =
        new TableHeader(1, random.nextLong(), 1, random.nextLong(), segments, OWNERS, 1 << 20);
    table = SegmentTable.of(header, members, rows);
  }

  /** Measures a table of {@code segments}. */
  static HarnessMessage measure(HarnessMessage message) {
    return new TableFigures(message.whole("segments")).run();
  }

  private HarnessMessage run() {
    double[] stamps = new double[ROUNDS];
    double[] applies = new double[ROUNDS];
    double deltaBytes = 0;
    for (int round = -ROUNDS; round < ROUNDS; round++) { // the first half warms up
      double stamp = stampNanos();
      TableDelta delta = randomDelta();
      long begin = System.nanoTime();
      table = table.apply(delta);
      double apply = (double) (System.nanoTime() - begin) / delta.changedSegments().length;
      deltaBytes = (double) delta.encoded().length() / delta.changedSegments().length;
      if (round >= 0) {
        stamps[round] = stamp;
        applies[round] = apply;
      }
    }
    return HarnessMessage.of("measured")
        .with("stamp", stamps)
        .with("apply", applies)
        .with("deltaBytes", deltaBytes)
        .with("imageBytes", imageBytesPerReplica(table));
  }

  private double stampNanos() {
    int[] segments = random.ints(LOOKS, 0, table.segments()).toArray();
    long sum = 0;
    long begin = System.nanoTime();
    for (int segment : segments) {
      sum += table.rangeStamp(segment, segment + 1);
    }
    double nanos = System.nanoTime() - begin;
    if (sum == 0) {
      throw new IllegalStateException("The stamps of many rows cancel each other out");
    }
    return 2 * nanos / LOOKS;
  }

  private TableDelta randomDelta() {
    TableEdit edit = table.edit(table.epoch() + 1);
    for (int i = 0; i < BATCH; i++) {
      int first = random.nextInt(MEMBERS);
      int second = (first + 1 + random.nextInt(MEMBERS - 1)) % MEMBERS;
      edit.owners(
          random.nextInt(table.segments()),
          List.of(members.get(first).id(), members.get(second).id()));
    }
    return edit.delta();
  }

  /** Length of an image without the list of members, over the replicas in it. */
  static double imageBytesPerReplica(SegmentTable table) {
    int memberBytes = table.members().stream().mapToInt(Member::encodedBytes).sum();
    int replicas = 0;
    for (int segment = 0; segment < table.segments(); segment++) {
      replicas += table.ownerCount(segment);
    }
    return (double) (table.encoded().length() - memberBytes) / replicas;
  }
}
