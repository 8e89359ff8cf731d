package dev.headrace.replication.lane;

import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.publish.TableGossip;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.replication.client.OperationClient;
import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.replication.message.ChangesRead;
import dev.headrace.replication.message.ChangesReply;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.role.LeaseView;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.SegmentStore;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One node's part in the write protocol: its lanes, its caller, and the way between them and the
 * network, as a node of a cluster would wire them. What a node says to itself runs at once on the
 * same thread.
 */
final class Exchange {
  private final NodeId self;
  private final Transport network;
  private final Consumer<SegmentTable> notices;
  private final Lanes lanes;
  private final SimulatedReads reads;
  private final OperationClient caller;
  private final TableGossip gossip;
  private Consumer<ChangesReply> changes = reply -> {};
  private Executor aside = Runnable::run;
  private BiConsumer<ProcessorRun, Consumer<@Nullable EntryDecision>> processors =
      (run, decided) -> decided.accept(LaneWorkload.decide(run));
  private BiConsumer<NodeId, Message> observer = (to, message) -> {};

  /** What concerns the whole node. */
  interface Events {
    void requestFirstWrite();

    boolean isBusy();

    void lost(int segment, long segmentEpoch);

    void giveBack(int segment, long segmentEpoch, NodeId keeper);

    void noRoom(NodeId destination, int segment, long bytes);

    void damaged(String cache, int segment, String reason);
  }

  /**
   * @param settings bounds, and this node's identity
   * @param stores makes the store of a cache when it is first needed
   * @param network takes messages to other nodes
   * @param host is told what concerns the whole node
   * @param lease this node's right to answer
   * @param notices takes a newer table that another node has sent; it must come back through {@link
   *     #tableChanged} if it is adopted
   */
  Exchange(
      LaneSettings settings,
      Function<HashSpace, SegmentStore> stores,
      Transport network,
      Events host,
      LeaseView lease,
      Consumer<SegmentTable> notices) {
    this.self = settings.self();
    this.network = network;
    this.notices = notices;
    this.gossip = new TableGossip(this::send);
    this.lanes =
        new Lanes(
            settings,
            MemoryBudget.unlimited(),
            stores,
            this::send,
            this::read,
            telling(host),
            lease);
    this.reads = new SimulatedReads(lanes, this::send);
    this.caller = new OperationClient(self, this::send, gossip);
  }

  /** Lets somebody see all that this node sends, to itself too. */
  void observe(BiConsumer<NodeId, Message> by) {
    observer = by;
  }

  /** Lets somebody have the answers to questions for changes. */
  void onChanges(Consumer<ChangesReply> reader) {
    changes = reader;
  }

  /** Has answers for readers of changes looked for elsewhere than at once. */
  void answerAside(Executor executor) {
    aside = executor;
  }

  /** Has processors run by somebody. */
  void onProcessors(BiConsumer<ProcessorRun, Consumer<@Nullable EntryDecision>> runner) {
    processors = runner;
  }

  /** Asks a node, perhaps this one, for changes. */
  void ask(NodeId node, ChangesRead question) {
    send(node, question);
  }

  /** Where this node serves. */
  Lanes lanes() {
    return lanes;
  }

  /** What this node reads of others, and they of it. */
  SimulatedReads reads() {
    return reads;
  }

  private void read(NodeId node, ReadRequest request, ReadHandler handler) {
    reads.read(node, request, handler);
  }

  /** Where this node asks. */
  OperationClient caller() {
    return caller;
  }

  private void send(NodeId to, Message message) {
    observer.accept(to, message);
    if (to.equals(self)) {
      received(self, message);
    } else {
      network.send(to, message);
    }
  }

  /**
   * A message has arrived.
   *
   * @throws RuntimeException if it makes no sense; it has had no effect then
   */
  void received(NodeId from, Message message) {
    if (message instanceof OperationReply reply) {
      caller.replied(from, reply);
    } else if (message instanceof ChangesReply reply) {
      changes.accept(reply);
    } else if (message instanceof TableNotice notice) {
      noticed(from, notice);
    } else if (!reads.received(from, message)) {
      lanes.receive(from, message);
    }
  }

  private void noticed(NodeId from, TableNotice notice) {
    SegmentTable table = lanes.table();
    if (table != null && notice.epoch() < table.epoch()) {
      gossip.outdated(from, notice.epoch());
    } else if (notice.image() != null) {
      notices.accept(notice.image());
    }
  }

  private LaneHost telling(Events host) {
    return new LaneHost() {
      @Override
      public void requestFirstWrite() {
        host.requestFirstWrite();
      }

      @Override
      public boolean isBusy() {
        return host.isBusy();
      }

      @Override
      public void lost(int segment, long segmentEpoch) {
        host.lost(segment, segmentEpoch);
      }

      @Override
      public void giveBack(int segment, long segmentEpoch, NodeId keeper) {
        host.giveBack(segment, segmentEpoch, keeper);
      }

      @Override
      public void noRoom(NodeId destination, int segment, long bytes) {
        host.noRoom(destination, segment, bytes);
      }

      @Override
      public void damaged(String cache, int segment, String reason) {
        host.damaged(cache, segment, reason);
      }

      @Override
      public void answerAside(Runnable task) {
        aside.execute(task);
      }

      @Override
      public void process(ProcessorRun run, Consumer<@Nullable EntryDecision> decided) {
        processors.accept(run, decided);
      }

      @Override
      public void outdated(NodeId node, long itsEpoch) {
        gossip.outdated(node, itsEpoch);
      }

      @Override
      public void behind(NodeId node) {
        gossip.behind(node);
      }

      @Override
      public void accompany(NodeId node) {
        gossip.accompany(node);
      }
    };
  }

  /** Messages on their way to a node, or from it, may be lost. */
  void disconnected(NodeId node) {
    lanes.disconnected(node);
    reads.disconnected(node);
    caller.disconnected(node);
  }

  /** The node has the table that follows its last one. */
  void tableChanged(SegmentTable table, int[] changed) {
    gossip.onTable(TableDelta.fromNothing(table), table);
    lanes.tableChanged(table, changed);
    lanes.changeRoles(Integer.MAX_VALUE);
    caller.onTable(TableDelta.fromNothing(table), table);
  }

  /** The node has a newer table; an older one is ignored. */
  void tableChanged(SegmentTable table) {
    TableDelta delta = TableDelta.fromNothing(table);
    gossip.onTable(delta, table);
    lanes.onTable(delta, table);
    lanes.changeRoles(Integer.MAX_VALUE);
    caller.onTable(delta, table);
  }

  /**
   * Time goes on; by one thread, every few milliseconds.
   *
   * @param nowNanos a monotonic clock
   */
  void tick(long nowNanos) {
    lanes.tick(nowNanos);
    caller.tick(nowNanos);
    gossip.tick(nowNanos);
  }
}
