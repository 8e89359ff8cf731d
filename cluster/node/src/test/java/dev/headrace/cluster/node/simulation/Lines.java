package dev.headrace.cluster.node.simulation;

import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All tables that anybody has told of, in force or not, and who has stored them. */
final class Lines {
  private final Map<Long, SegmentTable> tables = new HashMap<>();
  private final Map<Long, Long> before = new HashMap<>();
  private final Map<NodeId, Set<Long>> stored = new HashMap<>();

  void learn(Append append) {
    SegmentTable image = append.image();
    if (image != null) {
      tables.putIfAbsent(image.epoch(), image);
    }
    for (TableDelta delta : append.deltas()) {
      SegmentTable from = tables.get(delta.fromEpoch());
      if (from != null && !tables.containsKey(delta.epoch())) {
        tables.put(delta.epoch(), from.apply(delta));
        before.put(delta.epoch(), delta.fromEpoch());
      }
    }
  }

  /** The tables that a node has stored now for the first time, the newest of which has an epoch. */
  List<SegmentTable> storedFirst(NodeId node, long epoch) {
    Set<Long> known = stored.computeIfAbsent(node, none -> new HashSet<>());
    List<SegmentTable> first = new ArrayList<>();
    @Nullable Long next = epoch;
    while (next != null && known.add(next)) {
      SegmentTable table = tables.get(next);
      if (table != null) {
        first.add(table);
      }
      next = before.get(next);
    }
    return first;
  }
}
