package dev.headrace.rebalance.plan;

import com.dynatrace.hash4j.hashing.HashStream64;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What a plan starts from, in numbers. A <em>place</em> is a member's in the table's list; a
 * <em>node</em> is the number of a member that may own segments. Not changed once made.
 */
final class Situation {
  static final int NONE = -1; // the node number of a member that may own nothing
  private static final Hasher64 HASHER = Hashing.xxh3_64();
  private static final long SEGMENT_MASK = (1L << 20) - 1;

  final List<Member> members;
  final int[][] rows; // for each segment its owners' places, the primary first
  final int[][] stayers; // for each segment the nodes among its owners, in their order
  final int[] holders; // the place of each node
  private final int[] nodes;
  private final boolean[] waiting;

  Situation(PlanInput input) {
    SegmentTable table = input.table();
    members = List.copyOf(table.members());
    holders =
        IntStream.range(0, members.size())
            .filter(place -> mayOwn(members.get(place), input))
            .toArray();
    nodes = new int[members.size()];
    Arrays.fill(nodes, NONE);
    for (int node = 0; node < holders.length; node++) {
      nodes[holders[node]] = node;
    }
    rows = rows(table, members);
    waiting = new boolean[rows.length];
    table.waitingSegments().forEach(segment -> waiting[segment] = true);
    stayers = new int[rows.length][];
    for (int segment = 0; segment < rows.length; segment++) {
      stayers[segment] =
          IntStream.of(rows[segment])
              .map(place -> nodes[place])
              .filter(node -> node != NONE)
              .toArray();
    }
  }

  int segments() {
    return rows.length;
  }

  /** Whether the segment has lost all its owners, so that nothing can be copied. */
  boolean lost(int segment) {
    return rows[segment].length == 0;
  }

  /** Whether the segment waits for nodes that are absent, so that nobody else is to own it. */
  boolean waits(int segment) {
    return waiting[segment];
  }

  /** The node that is the segment's primary; {@link #NONE} if that one leaves or there is none. */
  int primary(int segment) {
    return lost(segment) ? NONE : nodes[rows[segment][0]];
  }

  /** Whether the node is an owner of the segment that may stay. */
  boolean stays(int segment, int node) {
    return contains(stayers[segment], node);
  }

  static boolean contains(int[] row, int owner) {
    for (int each : row) {
      if (each == owner) {
        return true;
      }
    }
    return false;
  }

  List<Member> holders() {
    return IntStream.of(holders).mapToObj(members::get).toList();
  }

  /**
   * All segments, in an order drawn by a hash of the nodes. In the order of their numbers every
   * node that joins would get the same first segments, and nodes that joined one after the other
   * would own them together.
   */
  int[] shuffled() {
    HashStream64 seed = HASHER.hashStream();
    for (int place : holders) {
      NodeId id = members.get(place).id();
      seed.putLong(id.high()).putLong(id.low());
    }
    long drawn = seed.getAsLong();
    return IntStream.range(0, rows.length)
        .mapToLong(segment -> (HASHER.hashLongLongToLong(drawn, segment) & ~SEGMENT_MASK) | segment)
        .sorted()
        .mapToInt(key -> (int) (key & SEGMENT_MASK))
        .toArray();
  }

  /** A number below {@code bound}, drawn by a hash of two others. */
  static int draw(long first, long second, int bound) {
    return (int) Long.remainderUnsigned(HASHER.hashLongLongToLong(first, second), bound);
  }

  private static boolean mayOwn(Member member, PlanInput input) {
    return member.holdsSegments() && !input.leaving().contains(member.id());
  }

  private static int[][] rows(SegmentTable table, List<Member> members) {
    Map<NodeId, Integer> places = new HashMap<>();
    for (Member member : members) {
      places.put(member.id(), places.size());
    }
    int[][] rows = new int[table.segments()][];
    for (int segment = 0; segment < rows.length; segment++) {
      int[] row = new int[table.ownerCount(segment)];
      for (int index = 0; index < row.length; index++) {
        row[index] = places.getOrDefault(table.owner(segment, index), NONE);
      }
      rows[segment] = row;
    }
    return rows;
  }
}
