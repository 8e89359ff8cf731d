package dev.headrace.rebalance.migration;

import dev.headrace.rebalance.plan.Move;
import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The moves that have not begun: for each segment in their order, and for each destination the
 * segments whose next move leads there, so that a slow destination holds up nobody else.
 */
final class MoveQueue {
  private final Map<Integer, Queue<Move>> bySegment = new HashMap<>();
  private final Map<NodeId, Queue<Integer>> byDestination = new LinkedHashMap<>();
  private final Queue<Integer> free = new ArrayDeque<>(); // segments whose next move copies nothing

  /** Forgets everything, and takes the moves of a new plan. */
  void begin(List<Move> moves) {
    clear();
    for (Move move : moves) {
      Queue<Move> ofSegment = bySegment.get(move.segment());
      if (ofSegment == null) {
        ofSegment = new ArrayDeque<>(2);
        bySegment.put(move.segment(), ofSegment);
        offer(move);
      }
      ofSegment.add(move);
    }
  }

  void clear() {
    bySegment.clear();
    byDestination.clear();
    free.clear();
  }

  boolean isEmpty() {
    return bySegment.isEmpty();
  }

  /** The moves that a segment still needs, in their order. */
  List<Move> of(int segment) {
    Queue<Move> moves = bySegment.get(segment);
    return moves == null ? List.of() : List.copyOf(moves);
  }

  /**
   * Takes a segment whose next move may begin, or returns null if there is none. It is not given
   * again before {@link #finished}.
   *
   * @param hasRoom whether a node may get another segment
   */
  @Nullable Integer next(Predicate<NodeId> hasRoom) {
    Integer segment = free.poll();
    Iterator<Map.Entry<NodeId, Queue<Integer>>> destinations = byDestination.entrySet().iterator();
    while (segment == null && destinations.hasNext()) {
      Map.Entry<NodeId, Queue<Integer>> destination = destinations.next();
      if (hasRoom.test(destination.getKey())) {
        segment = destination.getValue().poll();
        if (destination.getValue().isEmpty()) {
          destinations.remove();
        }
      }
    }
    return segment;
  }

  /**
   * Takes a segment out without beginning anything, if these are its next moves: somebody works on
   * them already.
   */
  boolean claim(int segment, List<Move> inFlight) {
    List<Move> wanted = of(segment);
    boolean same =
        wanted.size() >= inFlight.size() && wanted.subList(0, inFlight.size()).equals(inFlight);
    if (same) {
      NodeId destination = inFlight.get(0).add();
      Queue<Integer> queue = destination == null ? free : byDestination.get(destination);
      if (queue != null) {
        queue.remove(segment);
      }
    }
    return same;
  }

  /** Moves of a segment that was taken have been made: the next one may begin. */
  void finished(int segment, int made) {
    Queue<Move> moves = bySegment.get(segment);
    if (moves == null) {
      return;
    }
    for (int i = 0; i < made; i++) {
      moves.poll();
    }
    Move following = moves.peek();
    if (following == null) {
      bySegment.remove(segment);
    } else {
      offer(following);
    }
  }

  private void offer(Move move) {
    NodeId destination = move.add();
    Queue<Integer> queue =
        destination == null
            ? free
            : byDestination.computeIfAbsent(destination, id -> new ArrayDeque<>());
    queue.add(move.segment());
  }
}
