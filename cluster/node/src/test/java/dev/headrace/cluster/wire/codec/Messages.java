package dev.headrace.cluster.wire.codec;

import dev.headrace.cluster.message.CacheCounts;
import dev.headrace.cluster.message.CacheForgotten;
import dev.headrace.cluster.message.CountCaches;
import dev.headrace.cluster.message.ForgetCache;
import dev.headrace.cluster.message.MessageGroup;
import dev.headrace.cluster.message.Probe;
import dev.headrace.cluster.message.UsageNotice;
import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.replication.message.BeginCopy;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.ChangesRead;
import dev.headrace.replication.message.ChangesReply;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.MemoryNotice;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.PastOwners;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.ResultWindow;
import dev.headrace.replication.message.ResultsReceived;
import dev.headrace.replication.message.Settled;
import dev.headrace.replication.message.Standing;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.change.ChangeAnswer;
import dev.headrace.stream.change.ChangeQuery;
import dev.headrace.stream.entry.Cursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Messages with all kinds of contents, made from seeds. */
public final class Messages {
  private static final String[] NAMES = {"", "quotes", "Über\u20ac\ud83d\ude00", "x".repeat(300)};

  private Messages() {}

  /** Any message. */
  public static Arbitrary<Message> any() {
    return Arbitraries.longs().map(seed -> of(new Random(seed)));
  }

  /** A message drawn from the source that is no group. */
  public static Message single(Random random) {
    Message drawn = of(random);
    return drawn instanceof MessageGroup group ? group.messages().get(0) : drawn;
  }

  /** A message drawn from the source. */
  public static Message of(Random random) {
    List<Function<Random, Message>> kinds =
        List.of(
            Messages::operation,
            Messages::reply,
            Messages::bulkRead,
            Messages::bulkReadReply,
            Messages::changesRead,
            Messages::changesReply,
            r -> replicate(r),
            r ->
                new Replicated(
                    name(r),
                    r.nextInt(),
                    number(r),
                    number(r),
                    number(r),
                    r.nextBoolean(),
                    r.nextBoolean()),
            r ->
                new HistoryRequest(
                    name(r), r.nextInt(), number(r), number(r), number(r), number(r)),
            Messages::history,
            r -> new MemoryNotice(number(r) & Long.MAX_VALUE, 1 + (number(r) >>> 2)),
            r ->
                new UsageNotice(
                    number(r) & Long.MAX_VALUE,
                    number(r) & Long.MAX_VALUE,
                    r.nextInt(1 << 20),
                    r.nextInt(1 << 20),
                    number(r) & Long.MAX_VALUE,
                    number(r) & Long.MAX_VALUE,
                    4 + r.nextInt(1 << 20),
                    List.of(r.nextInt(1 << 10), r.nextInt(1 << 20)).subList(0, r.nextInt(3))),
            r -> new Settled(name(r), r.nextInt(), number(r), number(r), number(r), number(r)),
            Messages::order,
            r -> new CopyCancel(List.of(number(r), number(r))),
            Messages::report,
            Messages::beginCopy,
            Messages::learned,
            RepairMessages::of,
            r -> new InSync(name(r), r.nextInt(), number(r), number(r), number(r)),
            r ->
                new RebalanceProgress(
                    r.nextInt(), r.nextInt(), r.nextInt(), r.nextInt(), number(r), number(r)),
            r -> new ResultsReceived(r.longs(r.nextInt(20), 0, 1L << 60).toArray()),
            Messages::notice,
            r -> new Probe(number(r), r.nextBoolean(), r.nextInt(3), 3 + r.nextInt(62)),
            r -> new CountCaches(number(r), name(r)),
            Messages::counts,
            r -> new ForgetCache(number(r), name(r)),
            r -> new CacheForgotten(number(r), r.nextBoolean()),
            Messages::moves,
            Messages::group);
    return kinds.get(random.nextInt(kinds.size())).apply(random);
  }

  private static MessageGroup group(Random r) {
    List<Message> messages = new ArrayList<>();
    for (int i = r.nextInt(4); i >= 0; i--) {
      messages.add(r.nextBoolean() ? operation(r) : replicate(r));
    }
    return new MessageGroup(messages);
  }

  private static CacheCounts counts(Random r) {
    List<CacheCounts.Row> rows = new ArrayList<>();
    for (int row = r.nextInt(4); row >= 0; row--) {
      rows.add(
          new CacheCounts.Row(
              name(r),
              number(r) & Long.MAX_VALUE,
              number(r) & Long.MAX_VALUE,
              number(r) & Long.MAX_VALUE,
              name(r)));
    }
    return new CacheCounts(number(r), r.nextInt(1 << 20), r.nextBoolean(), rows);
  }

  private static Operation operation(Random r) {
    Operation.Kind[] kinds = Operation.Kind.values();
    return new Operation(
        new OperationId(node(r), number(r), number(r), r.nextInt(1000)),
        name(r),
        r.nextInt(),
        r.nextInt(1000),
        number(r),
        number(r),
        number(r),
        kinds[r.nextInt(kinds.length)],
        bytes(r),
        nullable(r),
        nullable(r),
        number(r),
        number(r),
        number(r),
        r.nextBoolean(),
        r.nextBoolean());
  }

  private static OperationReply reply(Random r) {
    OperationReply.Outcome[] outcomes = OperationReply.Outcome.values();
    return new OperationReply(
        number(r),
        outcomes[r.nextInt(outcomes.length)],
        r.nextBoolean(),
        nullable(r),
        number(r),
        number(r),
        number(r),
        number(r));
  }

  private static BulkRead bulkRead(Random r) {
    int[] ends = new int[r.nextInt(20)];
    int end = 0;
    for (int key = 0; key < ends.length; key++) {
      end += r.nextInt(4) == 0 ? r.nextInt(300) : r.nextInt(4);
      ends[key] = end;
    }
    byte[] bytes = new byte[end];
    r.nextBytes(bytes);
    EncodedKeys keys = new EncodedKeys(bytes, ends);
    return new BulkRead(number(r), name(r), r.nextInt(), number(r), number(r), keys);
  }

  private static BulkReadReply bulkReadReply(Random r) {
    int[] lengths = new int[r.nextInt(20)];
    int bytes = 0;
    for (int key = 0; key < lengths.length; key++) {
      lengths[key] = r.nextInt(200) + BulkReadReply.ALONE;
      bytes += Math.max(0, lengths[key]);
    }
    byte[] values = new byte[bytes];
    r.nextBytes(values);
    return new BulkReadReply(number(r), number(r), lengths, values);
  }

  private static ChangesRead changesRead(Random r) {
    List<ChangeQuery.Part> parts = new ArrayList<>();
    for (int left = r.nextInt(4); left >= 0; left--) {
      long next = number(r) & Long.MAX_VALUE;
      long limit = r.nextBoolean() ? ChangeQuery.NO_LIMIT : next;
      Cursor content = r.nextBoolean() ? null : Cursor.after(r.nextLong(), new byte[r.nextInt(9)]);
      parts.add(
          new ChangeQuery.Part(
              r.nextInt(Integer.MAX_VALUE),
              r.nextInt(Integer.MAX_VALUE),
              next,
              limit,
              number(r) & Long.MAX_VALUE,
              content));
    }
    int bytes = 1 + r.nextInt(Integer.MAX_VALUE - 1);
    int waitMillis = r.nextInt(ChangeQuery.MAX_WAIT_MILLIS);
    return new ChangesRead(
        number(r),
        new ChangeQuery(
            name(r), r.nextInt(), r.nextInt(), r.nextBoolean(), bytes, waitMillis, parts));
  }

  private static ChangesReply changesReply(Random r) {
    List<ChangeAnswer.Part> parts = new ArrayList<>();
    int bytes = 0;
    ChangeAnswer.Status[] statuses = ChangeAnswer.Status.values();
    for (int left = r.nextInt(4); left > 0; left--) {
      int length = r.nextInt(200);
      bytes += length;
      parts.add(
          new ChangeAnswer.Part(
              r.nextInt(Integer.MAX_VALUE),
              statuses[r.nextInt(statuses.length)],
              number(r),
              number(r),
              r.nextBoolean(),
              r.nextBoolean() ? Cursor.START : Cursor.after(r.nextLong()),
              length));
    }
    byte[] told = new byte[bytes];
    r.nextBytes(told);
    return new ChangesReply(number(r), new ChangeAnswer(parts, told));
  }

  private static Replicate replicate(Random r) {
    return new Replicate(
        name(r), r.nextInt(), r.nextInt(), number(r), number(r), number(r), mutation(r));
  }

  private static History history(Random r) {
    List<Mutation> mutations = new ArrayList<>();
    for (int left = r.nextInt(20); left > 0; left--) {
      mutations.add(mutation(r));
    }
    return new History(
        name(r),
        r.nextInt(),
        r.nextInt(),
        number(r),
        number(r),
        number(r),
        number(r),
        number(r),
        new Standing(r.nextBoolean(), r.nextBoolean(), number(r), number(r), number(r), number(r)),
        pastOwners(r),
        r.nextInt(3) == 0 ? -1 : number(r),
        mutations);
  }

  private static List<PastOwners> pastOwners(Random r) {
    List<PastOwners> rows = new ArrayList<>();
    for (int left = r.nextInt(PastOwners.MAX_TOLD + 1); left > 0; left--) {
      rows.add(new PastOwners(number(r), nodes(r)));
    }
    return rows;
  }

  private static CopyOrder order(Random r) {
    List<CopyOrder.Copy> copies = new ArrayList<>();
    for (int left = r.nextInt(20); left > 0; left--) {
      copies.add(new CopyOrder.Copy(number(r), r.nextInt(), nodes(r)));
    }
    return new CopyOrder(number(r), copies);
  }

  private static MovesNotice moves(Random r) {
    List<MovesNotice.Move> moves = new ArrayList<>();
    for (int left = r.nextInt(20); left > 0; left--) {
      moves.add(
          new MovesNotice.Move(
              r.nextInt(1 << 20), node(r), List.of(node(r), node(r)), r.nextBoolean()));
    }
    return new MovesNotice(moves);
  }

  private static CopyStateReport report(Random r) {
    List<CopyStateReport.CopyState> states = new ArrayList<>();
    for (int left = r.nextInt(20); left > 0; left--) {
      states.add(
          new CopyStateReport.CopyState(
              number(r), r.nextInt(), r.nextBoolean(), number(r), name(r)));
    }
    return new CopyStateReport(states);
  }

  private static BeginCopy beginCopy(Random r) {
    return new BeginCopy(
        name(r),
        r.nextInt(),
        r.nextInt(),
        number(r),
        number(r),
        number(r),
        number(r),
        number(r),
        number(r),
        r.nextInt(3) == 0 ? null : bytes(r),
        windows(r));
  }

  private static List<ResultWindow> windows(Random r) {
    List<ResultWindow> windows = new ArrayList<>();
    for (int left = r.nextInt(4); left > 0; left--) {
      List<ResultWindow.Result> results = new ArrayList<>();
      for (int more = r.nextInt(4); more > 0; more--) {
        results.add(
            new ResultWindow.Result(
                number(r),
                number(r),
                r.nextBoolean(),
                nullable(r),
                r.nextBoolean(),
                number(r),
                number(r),
                number(r)));
      }
      windows.add(new ResultWindow(node(r), number(r), results));
    }
    return windows;
  }

  private static Learned learned(Random r) {
    return new Learned(
        name(r),
        r.nextInt(),
        number(r),
        number(r),
        number(r),
        number(r),
        r.nextBoolean(),
        number(r),
        r.nextBoolean(),
        r.nextBoolean());
  }

  private static Mutation mutation(Random r) {
    Mutation.Change[] changes = Mutation.Change.values();
    return new Mutation(
        number(r),
        number(r),
        r.nextBoolean() ? id(r) : OperationId.NONE,
        changes[r.nextInt(changes.length)],
        bytes(r),
        nullable(r),
        number(r),
        r.nextBoolean(),
        nullable(r),
        number(r),
        number(r),
        number(r));
  }

  private static TableNotice notice(Random r) {
    SegmentTable table = table(r);
    List<TableDelta> deltas = new ArrayList<>();
    SegmentTable newest = table;
    for (int left = r.nextInt(4); left > 0; left--) {
      int segment = r.nextInt(newest.segments());
      NodeId owner = newest.members().get(r.nextInt(newest.members().size())).id();
      long epoch = newest.epoch() + 1 + r.nextInt(3);
      TableDelta delta = newest.edit(epoch).owners(segment, List.of(owner)).delta();
      deltas.add(delta);
      newest = newest.apply(delta);
    }
    return new TableNotice(newest.epoch(), r.nextBoolean() ? table : null, deltas);
  }

  private static SegmentTable table(Random r) {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i <= r.nextInt(5); i++) {
      members.add(new Member(node(r), "node" + i, "127.0.0.1", r.nextInt(65536), "zone", 1));
    }
    int[][] owners = new int[1 + r.nextInt(300)][];
    for (int segment = 0; segment < owners.length; segment++) {
      owners[segment] = new int[] {r.nextInt(members.size())};
    }
    TableHeader header =
        new TableHeader(r.nextInt(1000), r.nextLong(), 0, r.nextLong(), owners.length, 2, 100);
    return SegmentTable.of(header, members, owners);
  }

  private static OperationId id(Random r) {
    return new OperationId(node(r), number(r), number(r));
  }

  private static List<NodeId> nodes(Random r) {
    return Stream.generate(() -> node(r)).limit(1 + r.nextInt(7)).toList();
  }

  private static NodeId node(Random r) {
    return new NodeId(r.nextLong(), r.nextLong());
  }

  static String name(Random r) {
    return NAMES[r.nextInt(NAMES.length)];
  }

  /** Numbers of all lengths. */
  static long number(Random r) {
    return r.nextLong() >>> r.nextInt(64);
  }

  static byte[] bytes(Random r) {
    byte[] bytes = new byte[r.nextInt(4) == 0 ? r.nextInt(5000) : r.nextInt(20)];
    r.nextBytes(bytes);
    return bytes;
  }

  private static byte[] nullable(Random r) {
    return r.nextInt(3) == 0 ? null : bytes(r);
  }
}
