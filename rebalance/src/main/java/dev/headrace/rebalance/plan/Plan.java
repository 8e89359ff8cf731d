package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The owners that segments shall have, and the moves that lead there. Immutable.
 *
 * <p>Moves of one segment follow each other in the list; each starts from the row that the one
 * before leaves. Moves of different segments do not depend on each other.
 */
public final class Plan {

  /**
   * What a plan means for one node.
   *
   * @param member the node
   * @param replicasBefore segments it owns, as primary or backup
   * @param replicasAfter segments it will own
   * @param primariesBefore segments of which it is the primary
   * @param primariesAfter segments of which it will be the primary
   */
  public record NodeLoad(
      Member member,
      int replicasBefore,
      int replicasAfter,
      int primariesBefore,
      int primariesAfter) {}

  private final List<Member> members;
  private final int[][] before;
  private final int[][] after;
  private final List<Move> moves;
  private final int copies;
  private final int swaps;
  private final int restarts;
  private final int lowerBound;

  /** Takes the rows, places of members, over. */
  private Plan(
      List<Member> members, int[][] before, int[][] after, MoveList moves, int lowerBound) {
    this.members = members;
    this.before = before;
    this.after = after;
    this.moves = List.copyOf(moves.all());
    this.copies = moves.copies();
    this.swaps = moves.swaps();
    this.restarts = moves.restarts();
    this.lowerBound = lowerBound;
  }

  /**
   * The plan that leads from rows to rows.
   *
   * @param order the segments in the order in which equally urgent moves come
   */
  static Plan of(List<Member> members, int[][] before, int[][] after, int[] order, int lowerBound) {
    MoveList moves = new MoveList(members);
    for (int segment : order) {
      moves.add(segment, before[segment], after[segment]);
    }
    return new Plan(members, before, after, moves, lowerBound);
  }

  /** Number of segments. */
  public int segments() {
    return after.length;
  }

  /** The owners a segment shall have, the primary first. */
  public List<NodeId> targetRow(int segment) {
    return MoveList.ids(members, after[segment]);
  }

  /** All moves, in the order in which they are best begun. */
  public List<Move> moves() {
    return moves;
  }

  /** Whether there is nothing to do. */
  public boolean isEmpty() {
    return moves.isEmpty();
  }

  /** Replicas that are copied. */
  public int copies() {
    return copies;
  }

  /**
   * Replicas that any plan with level totals must copy: the sum over the nodes of what each holds
   * too little, less what it gets empty of segments that are lost. More are copied only where
   * zones, or segments that nodes own together, force it. Where a placement leads, replicas that
   * any plan to its rows must copy: all that are copied.
   */
  public int lowerBound() {
    return lowerBound;
  }

  /** Segments that change their primary and nothing else. */
  public int swaps() {
    return swaps;
  }

  /** Segments that have lost all their owners and start anew, empty. */
  public int restarts() {
    return restarts;
  }

  /** What the plan means for each member that may own segments or does, in the members' order. */
  public List<NodeLoad> loads() {
    int[] replicasBefore = replicas(before);
    int[] replicasAfter = replicas(after);
    int[] primariesBefore = primaries(before);
    int[] primariesAfter = primaries(after);
    List<NodeLoad> loads = new ArrayList<>();
    for (int place = 0; place < members.size(); place++) {
      if (members.get(place).holdsSegments()) {
        loads.add(
            new NodeLoad(
                members.get(place),
                replicasBefore[place],
                replicasAfter[place],
                primariesBefore[place],
                primariesAfter[place]));
      }
    }
    return loads;
  }

  /** Two plans are equal if they lead the same way from and to the same rows. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Plan plan
        && members.equals(plan.members)
        && Arrays.deepEquals(before, plan.before)
        && Arrays.deepEquals(after, plan.after)
        && moves.equals(plan.moves);
  }

  @Override
  public int hashCode() {
    return 31 * members.hashCode() + Arrays.deepHashCode(after);
  }

  @Override
  public String toString() {
    return "plan (%d copies, at least %d; %d swaps, %d segments start empty)"
        .formatted(copies, lowerBound, swaps, restarts);
  }

  private int[] replicas(int[][] rows) {
    int[] counts = new int[members.size()];
    for (int[] row : rows) {
      for (int place : row) {
        counts[place]++;
      }
    }
    return counts;
  }

  private int[] primaries(int[][] rows) {
    int[] counts = new int[members.size()];
    for (int[] row : rows) {
      if (row.length > 0) {
        counts[row[0]]++;
      }
    }
    return counts;
  }
}
