package dev.headrace.replication.repair;

import dev.headrace.replication.lane.LaneVisit;
import dev.headrace.replication.message.RepairMessage.Compare;
import dev.headrace.replication.message.RepairMessage.Compared;
import dev.headrace.replication.message.RepairMessage.Difference;
import dev.headrace.replication.message.RepairMessage.RangeRepaired;
import dev.headrace.replication.message.RepairMessage.RepairRange;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.RangeHasher;
import dev.headrace.stream.store.RangeReplacement;
import java.util.ArrayList;
import java.util.List;

/**
 * The backup's side: answers from its copy, if that is behind exactly the mutation that the primary
 * speaks of. It keeps nothing between messages.
 */
final class Copies {
  /**
   * A range with more entries is not looked through: the primary keeps its ranges much smaller, so
   * this one differs.
   */
  private static final int MAX_ENTRIES = 8 * SegmentRepair.RANGE_ENTRIES;

  private Copies() {}

  /** The primary wants to know whether ranges are the same here. */
  static void compare(NodeId from, Compare message, LaneVisit lane) {
    boolean level = isLevel(message.sequence(), lane);
    List<Difference> differences = new ArrayList<>(0);
    RangeHasher hasher = new RangeHasher();
    for (int i = 0; i < message.hashes().length && level; i++) {
      long hash = hasher.hash(lane.replica(), message.first().following(i), MAX_ENTRIES);
      if (hash != message.hashes()[i]) {
        differences.add(new Difference(i, hasher.entries()));
      }
    }
    lane.send(
        from,
        new Compared(
            message.cache(),
            message.segment(),
            lane.table().epoch(),
            lane.term(),
            message.number(),
            level,
            differences));
  }

  /** The primary tells what belongs in a range. */
  static void repair(NodeId from, RepairRange message, LaneVisit lane) {
    boolean level = isLevel(message.sequence(), lane);
    int extra = 0;
    int wrong = 0;
    int newer = 0;
    if (level) {
      lane.learn(message.format());
      RangeReplacement range =
          RangeReplacement.repair(lane.replica(), message.from(), message.to(), message.entries());
      boolean more = true;
      while (more) {
        more = range.step();
      }
      extra = range.extraEntries();
      wrong = range.wrongEntries();
      newer = range.newerEntries();
    }
    lane.send(
        from,
        new RangeRepaired(
            message.cache(),
            message.segment(),
            lane.table().epoch(),
            lane.term(),
            message.number(),
            level,
            extra,
            wrong,
            newer));
  }

  private static boolean isLevel(long sequence, LaneVisit lane) {
    return lane.backs() && lane.sequence() == sequence;
  }
}
