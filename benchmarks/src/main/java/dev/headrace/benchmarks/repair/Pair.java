package dev.headrace.benchmarks.repair;

import dev.headrace.api.RepairReport;
import dev.headrace.cluster.wire.codec.MessageCodec;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.OperationClient;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.LaneHost;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.RepairMessage;
import dev.headrace.replication.repair.RepairSettings;
import dev.headrace.replication.repair.Repairs;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A primary of all segments and a backup in one thread, between which the bytes of repair messages
 * are counted.
 */
final class Pair {
  private static final String CACHE = "benchmark";
  private static final long TICK_NANOS = 5_000_000L;
  private static final long TIMEOUT_NANOS = 4_000_000_000L;
  private static final long BYTES_PER_SECOND = 1L << 40;

  private final Queue<Runnable> arrivals = new ArrayDeque<>();
  private final MessageCodec codec = new MessageCodec();
  private final ByteBuf encoded = Unpooled.buffer();
  private final Node primary = new Node(new NodeId(0, 1));
  private final Node backup = new Node(new NodeId(0, 2));
  private long nowNanos = 1;
  private long repairBytes;

  Pair(int segments) {
    List<Member> members =
        List.of(
            new Member(primary.id, "primary", "localhost", 1, "", 1),
            new Member(backup.id, "backup", "localhost", 2, "", 1));
    int[][] rows = new int[segments][];
    for (int segment = 0; segment < segments; segment++) {
      rows[segment] = new int[] {0, 1};
    }
    long epoch = Epoch.first(1, primary.id);
    SegmentTable table =
        SegmentTable.of(new TableHeader(epoch, 1, 0, 42, segments, 2, 1 << 20), members, rows);
    install(table);
    install(table.written(Epoch.next(epoch, primary.id), 1));
    settle();
  }

  /** One node without threads and sockets. */
  private final class Node implements LaneHost {
    final NodeId id;
    final Lanes lanes;
    final OperationClient caller;
    final Repairs repairs;

    Node(NodeId id) {
      this.id = id;
      lanes =
          new Lanes(
              LaneSettings.of(id, 1),
              MemoryBudget.unlimited(),
              space -> new SegmentStore(space, () -> 0, StoreLimits.DEFAULT),
              this::send,
              (node, request, handler) -> {},
              this,
              () -> true);
      caller = new OperationClient(id, this::send, this);
      repairs =
          new Repairs(
              RepairSettings.of(id, 0, BYTES_PER_SECOND),
              lanes,
              this::send,
              (cache, segment, stats) -> {});
    }

    private void send(NodeId to, Message message) {
      Node receiver = to.equals(primary.id) ? primary : backup;
      if (receiver != this && message instanceof RepairMessage) {
        encoded.clear();
        codec.encode(message, encoded);
        repairBytes += encoded.readableBytes();
      }
      arrivals.add(() -> receiver.received(id, message));
    }

    private void received(NodeId from, Message message) {
      if (message instanceof RepairMessage repair) {
        repairs.received(from, repair);
      } else if (message instanceof OperationReply reply) {
        caller.replied(from, reply);
      } else {
        lanes.receive(from, message);
      }
    }

    @Override
    public void requestFirstWrite() {}

    @Override
    public boolean isBusy() {
      return false;
    }

    @Override
    public void outdated(NodeId node, long itsEpoch) {}

    @Override
    public void behind(NodeId node) {}

    @Override
    public void accompany(NodeId node) {}

    @Override
    public void process(ProcessorRun run, Consumer<@Nullable EntryDecision> decided) {
      throw new IllegalStateException("nobody calls a processor");
    }

    @Override
    public void lost(int segment, long segmentEpoch) {
      throw new IllegalStateException("segment " + segment + " is lost");
    }

    @Override
    public void giveBack(int segment, long segmentEpoch, NodeId keeper) {
      throw new IllegalStateException("segment " + segment + " is wanted back by " + keeper);
    }

    @Override
    public void noRoom(NodeId destination, int segment, long bytes) {
      throw new IllegalStateException(destination + " has no room for segment " + segment);
    }

    @Override
    public void damaged(String cache, int segment, String reason) {
      throw new IllegalStateException(reason);
    }
  }

  private void install(SegmentTable table) {
    TableDelta delta = TableDelta.fromNothing(table);
    for (Node node : List.of(primary, backup)) {
      node.lanes.onTable(delta, table);
      node.lanes.changeRoles(Integer.MAX_VALUE);
      node.caller.onTable(delta, table);
    }
  }

  private void settle() {
    for (Runnable next = arrivals.poll(); next != null; next = arrivals.poll()) {
      next.run();
    }
  }

  private void tick() {
    nowNanos += TICK_NANOS;
    for (Node node : List.of(primary, backup)) {
      node.lanes.tick(nowNanos);
      node.repairs.tick(nowNanos, 0, false);
    }
    settle();
  }

  void put(byte[] key, byte[] value) {
    primary.caller.submit(
        Request.set(Operation.Kind.PUT, CACHE, 0, key, value, 0, false), TIMEOUT_NANOS, MUST);
    settle();
  }

  private static final Completion MUST =
      new Completion() {
        @Override
        public void done(OperationReply reply) {}

        @Override
        public void failed(OperationFault fault) {
          throw new IllegalStateException(fault.message());
        }
      };

  /** Takes an entry away from the backup. */
  void damage(byte[] key) {
    HashSpace space = backup.lanes.store(CACHE).space();
    long hash = space.hash(key);
    backup.lanes.visit(
        CACHE, space.segment(hash), lane -> lane.replica().remove(space.position(hash), key));
  }

  /**
   * Compares and repairs everything.
   *
   * @return the bytes of all messages of repairs
   */
  long repair(long expectedRepairs) {
    repairBytes = 0;
    CompletableFuture<RepairReport> repair =
        primary.repairs.order(Set.of(), progress -> {}).toCompletableFuture();
    while (!repair.isDone()) {
      tick();
    }
    RepairReport report = repair.join();
    if (!report.complete() || report.repaired() != expectedRepairs) {
      throw new IllegalStateException("expected " + expectedRepairs + " repairs: " + report);
    }
    return repairBytes;
  }
}
