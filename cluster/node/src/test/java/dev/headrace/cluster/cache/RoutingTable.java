package dev.headrace.cluster.cache;

import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.Notices;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.OperationClient;
import dev.headrace.replication.client.Request;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.entry.HashSpace;
import java.util.ArrayList;
import java.util.List;

/** A caller that knows where keys are, on a node that owns nothing and may send nothing. */
final class RoutingTable {
  private static final NodeId SELF = new NodeId(0, 99);

  final OperationClient caller = new OperationClient(SELF, new Silence(), new Silence());
  final SegmentTable table;

  RoutingTable(int nodes, int segments) {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      members.add(new Member(new NodeId(0, i + 1), "n" + i, "localhost", 1, "", 1));
    }
    int[][] rows = new int[segments][];
    for (int segment = 0; segment < segments; segment++) {
      int primary = segment % nodes;
      rows[segment] = nodes == 1 ? new int[] {0} : new int[] {primary, (primary + 1) % nodes};
    }
    TableHeader header = new TableHeader(Epoch.first(1, SELF), 5, 0, 7, segments, 2, 1 << 20);
    table = SegmentTable.of(header, members, rows);
    caller.onTable(TableDelta.fromNothing(table), table);
  }

  /** The node that owns an encoded key. */
  NodeId owner(byte[] key) {
    HashSpace space = new HashSpace(table.segments(), table.hashSeed());
    return table.owner(space.segment(space.hash(key)), 0);
  }

  /** Requests that are submitted one by one, as they come. */
  static CallPort.Batch singly(CallPort port) {
    return new CallPort.Batch() {
      @Override
      public void submit(Request request, Completion completion) {
        port.submit(request, completion);
      }

      @Override
      public void send() {}
    };
  }

  private static final class Silence implements Transport, Notices {
    @Override
    public void send(NodeId to, Message message) {
      throw new AssertionError("the port of a test sends, and nobody else");
    }

    @Override
    public void outdated(NodeId node, long itsEpoch) {}

    @Override
    public void behind(NodeId node) {}

    @Override
    public void accompany(NodeId node) {}
  }
}
