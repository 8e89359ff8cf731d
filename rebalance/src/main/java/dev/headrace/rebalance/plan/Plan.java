package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
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
  private final int lowerBound;

  /**
   * The plan that leads from rows to rows, places of members, which it takes over.
   *
   * @param order the segments in the order in which equally urgent moves come
   */
  Plan(List<Member> members, int[][] before, int[][] after, int[] order, int lowerBound) {
    this.members = members;
    this.before = before;
    this.after = after;
    this.lowerBound = lowerBound;
    MoveList list = new MoveList(members);
    for (int segment : order) {
      list.add(segment, before[segment], after[segment]);
    }
    this.moves = list.all();
  }

  public int segments() {
    return after.length;
  }

  public List<NodeId> targetRow(int segment) {
    return MoveList.ids(members, after[segment]);
  }

  /** All moves, in the order in which they are best begun. */
  public List<Move> moves() {
    return moves;
  }

  public int copies() {
    return count(Move::copies);
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
    return count(
        move -> !move.copies() && move.drop() == null && before[move.segment()].length > 0);
  }

  /** Segments that have lost all their owners and start anew, empty. */
  public int restarts() {
    return count(move -> before[move.segment()].length == 0);
  }

  private int count(Predicate<Move> kind) {
    return (int) moves.stream().filter(kind).count();
  }

  /** What the plan means for each member that may own segments or does, in the members' order. */
  public List<NodeLoad> loads() {
    int[] replicasBefore = counts(before, Integer.MAX_VALUE);
    int[] replicasAfter = counts(after, Integer.MAX_VALUE);
    int[] primariesBefore = counts(before, 1);
    int[] primariesAfter = counts(after, 1);
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
        .formatted(copies(), lowerBound, swaps(), restarts());
  }

  /** For each member in how many rows it is one of the first {@code most}. */
  private int[] counts(int[][] rows, int most) {
    int[] counts = new int[members.size()];
    for (int[] row : rows) {
      for (int index = 0; index < Math.min(row.length, most); index++) {
        counts[row[index]]++;
      }
    }
    return counts;
  }
}
