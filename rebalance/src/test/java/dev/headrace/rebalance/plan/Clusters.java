package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** Members and tables to plan with. */
final class Clusters {

  private static final long EPOCH = Epoch.first(1, id(1));

  private Clusters() {}

  static NodeId id(int number) {
    return new NodeId(number, number * 0x9E3779B97F4A7C15L);
  }

  static Member node(int number, String zone, double capacity) {
    return new Member(id(number), "node-" + number, "localhost", 1, zone, capacity);
  }

  /** Members numbered {@code from} to {@code to}, both included, of one zone and capacity 1. */
  static List<Member> nodes(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(number -> node(number, "", 1)).toList();
  }

  /** A table as a cluster without data has it. */
  static SegmentTable placed(List<Member> members, int segments, int owners) {
    return table(members, owners, new WeightedRendezvous().place(segments, owners, members));
  }

  static SegmentTable table(List<Member> members, int owners, int[][] rows) {
    return SegmentTable.of(
        new TableHeader(EPOCH, 1, 0, 1, rows.length, owners, 100), members, rows);
  }

  /** A table with rows drawn without any thought of what is level, some of them short or empty. */
  static SegmentTable drawn(List<Member> members, int segments, int owners, Random random) {
    List<Integer> places = new ArrayList<>();
    for (int place = 0; place < members.size(); place++) {
      if (members.get(place).holdsSegments()) {
        places.add(place);
      }
    }
    int[][] rows = new int[segments][];
    for (int segment = 0; segment < segments; segment++) {
      int most = Math.min(owners, places.size());
      int size = random.nextInt(3) > 0 ? most : random.nextInt(most + 1);
      List<Integer> shuffled = new ArrayList<>(places);
      Collections.shuffle(shuffled, random);
      rows[segment] = shuffled.stream().limit(size).mapToInt(Integer::intValue).toArray();
    }
    return table(members, owners, rows);
  }

  static SegmentTable joined(SegmentTable table, List<Member> joined) {
    return table.withMembers(table.epoch() + 1, joined);
  }

  static SegmentTable crashed(SegmentTable table, Set<NodeId> lost) {
    return table.withoutMembers(table.epoch() + 1, lost);
  }

  /** The table that a plan leads to. */
  static SegmentTable after(SegmentTable table, Plan plan) {
    int[][] rows = new int[table.segments()][];
    List<NodeId> places = table.members().stream().map(Member::id).toList();
    for (int segment = 0; segment < rows.length; segment++) {
      rows[segment] = plan.targetRow(segment).stream().mapToInt(places::indexOf).toArray();
    }
    return table(table.members(), table.configuredOwners(), rows);
  }

  static Plan plan(SegmentTable table, NodeId... leaving) {
    return Planner.plan(new PlanInput(table, Set.of(leaving)));
  }
}
