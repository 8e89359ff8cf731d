package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.CopyCancel;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Orders copies without any plan, and makes owners of those that are full: as backups or primaries,
 * beside the others or in the place of one of them.
 */
final class SimulatedRebalancer {
  private static final long MAX_DELAY_NANOS = 20_000_000L;

  private final SplittableRandom random;
  private final SimulatedNetwork network;
  private final Map<NodeId, LaneNode> live;
  private final Map<NodeId, ArrayDeque<Message>> orders = new HashMap<>();
  private final Map<Integer, Order> bySegment = new TreeMap<>();
  private long migrations;
  int ready;
  int failed;
  int committed;

  private record Order(
      CopyOrder.Copy copyNumber, NodeId source, List<NodeId> row, long epoch, boolean ready) {}

  SimulatedRebalancer(
      SplittableRandom random, SimulatedNetwork network, Map<NodeId, LaneNode> live) {
    this.random = random;
    this.network = network;
    this.live = live;
  }

  /** Messages to one node stay in their order. */
  private void send(NodeId to, Message message) {
    orders.computeIfAbsent(to, none -> new ArrayDeque<>()).add(message);
    network.after(random.nextLong(MAX_DELAY_NANOS), () -> deliver(to));
  }

  private void deliver(NodeId to) {
    LaneNode node = live.get(to);
    if (node != null && network.pausedNanos(to) > 0) {
      network.after(network.pausedNanos(to), () -> deliver(to));
    } else if (node != null) {
      node.receive(Tables.COORDINATOR, orders.get(to).remove());
    }
  }

  /** Gives orders for some segments that have none, and takes some back. */
  void act(SegmentTable table, List<NodeId> candidates) {
    forgetOutdated(table);
    for (int segment = 0; segment < table.segments(); segment++) {
      Order present = bySegment.get(segment);
      if (present == null && table.ownerCount(segment) > 0 && random.nextInt(3) == 0) {
        begin(segment, table, candidates);
      } else if (present != null && random.nextInt(15) == 0) {
        bySegment.remove(segment);
        send(present.source, new CopyCancel(List.of(present.copyNumber.migration())));
      } else if (present != null && !present.ready && random.nextInt(8) == 0) {
        send(present.source, new CopyOrder(table.epoch(), List.of(present.copyNumber)));
      }
    }
  }

  private void begin(int segment, SegmentTable table, List<NodeId> candidates) {
    List<NodeId> row = table.owners(segment);
    List<NodeId> free = candidates.stream().filter(node -> !row.contains(node)).toList();
    if (free.isEmpty()) {
      return;
    }
    CopyOrder.Copy copyNumber = new CopyOrder.Copy(++migrations, segment, some(free));
    bySegment.put(
        segment, new Order(copyNumber, row.get(0), row, table.segmentEpoch(segment), false));
    send(row.get(0), new CopyOrder(table.epoch(), List.of(copyNumber)));
  }

  private void forgetOutdated(SegmentTable table) {
    bySegment
        .values()
        .removeIf(
            order ->
                table.segmentEpoch(order.copyNumber.segment()) != order.epoch
                    || !order.copyNumber.destinations().stream()
                        .allMatch(node -> table.member(node) != null));
  }

  /** One node of a list, as a rule, or the next ones too. */
  private List<NodeId> some(List<NodeId> nodes) {
    int from = random.nextInt(nodes.size());
    int most = random.nextInt(3) == 0 ? nodes.size() : from + 1;
    return nodes.subList(from, most);
  }

  /** Nothing is wanted any more, whatever orders are still on their way. */
  void cancelAll(Iterable<NodeId> sources) {
    bySegment.clear();
    for (NodeId source : sources) {
      send(source, new CopyCancel(LongStream.rangeClosed(1, migrations).boxed().toList()));
    }
  }

  void reported(CopyStateReport report) {
    for (CopyStateReport.CopyState state : report.states()) {
      Order order = bySegment.get(state.segment());
      if (order != null && order.copyNumber.migration() == state.migration()) {
        ready += state.ready() ? 1 : 0;
        failed += state.ready() ? 0 : 1;
        bySegment.remove(state.segment());
        if (state.ready()) {
          bySegment.put(
              state.segment(),
              new Order(order.copyNumber, order.source, order.row, order.epoch, true));
        }
      }
    }
  }

  /** The rows of whatever can be committed now; null if nothing can. */
  @Nullable Map<Integer, List<NodeId>> commit(SegmentTable table) {
    forgetOutdated(table);
    Map<Integer, List<NodeId>> rows = new HashMap<>();
    for (Order order : List.copyOf(bySegment.values())) {
      if (order.ready && random.nextInt(4) > 0) {
        bySegment.remove(order.copyNumber.segment());
        rows.put(order.copyNumber.segment(), newRow(order, table.configuredOwners()));
        committed++;
      }
    }
    return rows.isEmpty() ? null : rows;
  }

  private List<NodeId> newRow(Order order, int configured) {
    List<NodeId> row = new ArrayList<>(order.row);
    for (NodeId destination : order.copyNumber.destinations()) {
      if (row.size() == configured) {
        int place = random.nextInt(row.size());
        row.remove(place);
      }
      row.add(random.nextInt(row.size() + 1), destination);
    }
    return row;
  }
}
