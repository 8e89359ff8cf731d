package dev.headrace.replication.client;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.Notices;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.ResultsReceived;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A client of two owners: what it sends is kept, the test answers, and only ticks bring time. */
abstract class ClientOfTwoOwners {
  static final long MILLIS = 1_000_000L;
  static final NodeId SELF = new NodeId(0, 9);
  static final NodeId ONE = new NodeId(0, 1);
  static final NodeId TWO = new NodeId(0, 2);

  final List<NodeId> receivers = new ArrayList<>();
  final List<Message> messages = new ArrayList<>();

  /** Who was told which results have been received. */
  final List<NodeId> received = new ArrayList<>();

  /** Who got a newer table. */
  final List<String> told = new ArrayList<>();

  final Notices notices =
      new Notices() {
        @Override
        public void outdated(NodeId node, long itsEpoch) {
          told.add(node + " at " + itsEpoch);
        }

        @Override
        public void behind(NodeId node) {}

        @Override
        public void accompany(NodeId node) {}
      };
  final OperationClient caller =
      new OperationClient(
          SELF,
          (to, message) -> {
            if (message instanceof ResultsReceived) {
              received.add(to);
            } else {
              receivers.add(to);
              messages.add(message);
            }
          },
          notices);
  final SegmentTable table = table(1);
  private long nowMillis = 5_000;

  void install(SegmentTable newer) {
    caller.onTable(TableDelta.fromNothing(newer), newer);
  }

  static SegmentTable table(int segments) {
    return table(segments, 1);
  }

  static SegmentTable table(int segments, long clusterId) {
    List<Member> members = new ArrayList<>();
    for (NodeId id : List.of(ONE, TWO, SELF)) {
      members.add(new Member(id, "n" + id.low(), "localhost", 1, "", id.equals(SELF) ? 0 : 1));
    }
    int[][] rows = new int[segments][];
    Arrays.fill(rows, new int[] {0, 1});
    return SegmentTable.of(
        new TableHeader(1L << 40, clusterId, 1, 3, segments, 2, 1 << 20), members, rows);
  }

  Ending submit(Request request) {
    Ending ending = new Ending();
    caller.submit(request, 3_000 * MILLIS, ending);
    return ending;
  }

  static Request put(String key) {
    return Request.set(
        Kind.PUT, "c", 0, key.getBytes(StandardCharsets.UTF_8), new byte[1], 0, false);
  }

  static Request get(String key) {
    return Request.get("c", 0, key.getBytes(StandardCharsets.UTF_8), true);
  }

  void tick(long millis) {
    nowMillis += millis;
    caller.tick(nowMillis * MILLIS);
  }

  Operation sent(int index) {
    return (Operation) messages.get(index);
  }

  OperationReply answer(int index, Outcome outcome) {
    return OperationReply.refused(sent(index).id(), outcome, table.epoch());
  }

  /** So long without an answer that everything is given up, and nothing is sent again. */
  void endOfTime() {
    caller.tick(nowMillis * MILLIS);
    nowMillis += 3_000;
    caller.tick(nowMillis * MILLIS);
  }
}
