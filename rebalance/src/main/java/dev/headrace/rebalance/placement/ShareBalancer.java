package dev.headrace.rebalance.placement;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Moves segments between nodes until each node's count lies between the whole numbers around its
 * share.
 *
 * <p>First the cheapest direct moves from nodes with too many to nodes with room; where none is
 * allowed, along a path of nodes, each handing a segment to the next. Such a path exists as long as
 * the shares can be reached at all, as in a flow of least cost. Not thread-safe.
 */
abstract class ShareBalancer {
  private record Move(int segment, int from, int to, double cost) {}

  final int[][] rows;
  private final RendezvousCosts costs;
  private final int[] counts;
  private final int[] least;
  private final int[] most;

  private ShareBalancer(int[][] rows, RendezvousCosts costs, double[] shares, int[] counts) {
    this.rows = rows;
    this.costs = costs;
    this.counts = counts;
    this.least = Arrays.stream(shares).mapToInt(FairShares::least).toArray();
    this.most = Arrays.stream(shares).mapToInt(FairShares::most).toArray();
  }

  /** Levels replicas: a move replaces an owner of a segment, if the zones allow it. */
  static ShareBalancer ofReplicas(
      int[][] rows, RendezvousCosts costs, FairShares shares, int[] counts) {
    return new ShareBalancer(rows, costs, shares.replicas(), counts) {
      @Override
      boolean holds(int segment, int node) {
        return indexOf(segment, node) >= 0;
      }

      @Override
      boolean mayTake(int segment, int from, int to) {
        int inZone = shares.zone(from) == shares.zone(to) ? -1 : 0;
        for (int node : rows[segment]) {
          if (node == to) {
            return false;
          }
          inZone += shares.zone(node) == shares.zone(to) ? 1 : 0;
        }
        return inZone < shares.ownersPerZone();
      }

      @Override
      void move(int segment, int from, int to) {
        rows[segment][indexOf(segment, from)] = to;
      }
    };
  }

  /** Levels primaries: a move makes a backup of a segment its primary. */
  static ShareBalancer ofPrimaries(
      int[][] rows, RendezvousCosts costs, double[] shares, int[] counts) {
    return new ShareBalancer(rows, costs, shares, counts) {
      @Override
      boolean holds(int segment, int node) {
        return rows[segment][0] == node;
      }

      @Override
      boolean mayTake(int segment, int from, int to) {
        return indexOf(segment, to) > 0;
      }

      @Override
      void move(int segment, int from, int to) {
        rows[segment][indexOf(segment, to)] = from;
        rows[segment][0] = to;
      }
    };
  }

  abstract boolean holds(int segment, int node);

  /** Whether a node may have the segment in place of another that holds it. */
  abstract boolean mayTake(int segment, int from, int to);

  abstract void move(int segment, int from, int to);

  /** The place of a node in a row, -1 if it is not there. */
  final int indexOf(int segment, int node) {
    int index = rows[segment].length - 1;
    while (index >= 0 && rows[segment][index] != node) {
      index--;
    }
    return index;
  }

  void run() {
    IntPredicate tooMany = node -> counts[node] > most[node];
    IntPredicate tooFew = node -> counts[node] < least[node];
    IntPredicate hasRoom = node -> counts[node] < most[node];
    IntPredicate canSpare = node -> counts[node] > least[node];
    moveDirectly(tooMany, tooFew);
    moveDirectly(tooMany, hasRoom);
    moveDirectly(canSpare, tooFew);
    moveAlongPaths(tooMany, hasRoom);
    moveAlongPaths(canSpare, tooFew);
  }

  private void moveDirectly(IntPredicate giver, IntPredicate taker) {
    for (int from = 0; from < counts.length; from++) {
      List<Move> moves = giver.test(from) ? moves(from, taker) : List.of();
      for (Move move : moves) {
        boolean useful = giver.test(from) && taker.test(move.to);
        if (useful && mayMove(move)) {
          apply(move);
        }
      }
    }
  }

  private List<Move> moves(int from, IntPredicate taker) {
    List<Move> moves = new ArrayList<>();
    for (int to = 0; to < counts.length; to++) {
      if (to != from && taker.test(to)) {
        for (int segment = 0; segment < rows.length; segment++) {
          if (mayMove(segment, from, to)) {
            moves.add(new Move(segment, from, to, cost(segment, from, to)));
          }
        }
      }
    }
    moves.sort(Comparator.comparingDouble(Move::cost));
    return moves;
  }

  private void moveAlongPaths(IntPredicate giver, IntPredicate taker) {
    for (int from = 0; from < counts.length; from++) {
      boolean moved = true;
      while (moved && giver.test(from)) {
        moved = moveAlongPath(from, taker);
      }
    }
  }

  /** Searches breadth first for the nearest taker; false if there is none. */
  private boolean moveAlongPath(int start, IntPredicate taker) {
    @Nullable Move[] reachedBy = new Move[counts.length];
    Deque<Integer> open = new ArrayDeque<>(List.of(start));
    while (!open.isEmpty()) {
      int from = open.remove();
      for (int to = 0; to < counts.length; to++) {
        Move move = to == start || reachedBy[to] != null ? null : cheapest(from, to);
        if (move != null) {
          reachedBy[to] = move;
          open.add(to);
          if (taker.test(to)) {
            return walk(start, to, reachedBy);
          }
        }
      }
    }
    return false;
  }

  private boolean walk(int start, int end, @Nullable Move[] reachedBy) {
    int to = end;
    // Backwards, so that every step taken alone leaves a valid state; a step may spoil an earlier
    // one of the same segment, and then the path ends there with one node less to reach.
    while (to != start && mayMove(reachedBy[to])) {
      apply(reachedBy[to]);
      to = reachedBy[to].from;
    }
    return to == start;
  }

  private @Nullable Move cheapest(int from, int to) {
    Move best = null;
    for (int segment = 0; segment < rows.length; segment++) {
      if (mayMove(segment, from, to)) {
        double cost = cost(segment, from, to);
        best = best == null || cost < best.cost ? new Move(segment, from, to, cost) : best;
      }
    }
    return best;
  }

  private boolean mayMove(int segment, int from, int to) {
    return holds(segment, from) && mayTake(segment, from, to);
  }

  private boolean mayMove(Move move) {
    return mayMove(move.segment, move.from, move.to);
  }

  private double cost(int segment, int from, int to) {
    return costs.of(segment, to) - costs.of(segment, from);
  }

  private void apply(Move move) {
    move(move.segment, move.from, move.to);
    counts[move.from]--;
    counts[move.to]++;
  }
}
