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
final class Agenda {
  private final Map<Integer, Queue<Move>> bySegment = new HashMap<>();
  private final Map<NodeId, Queue<Integer>> byDestination = new LinkedHashMap<>();

  /** Segments whose next move copies nothing. */
  private final Queue<Integer> free = new ArrayDeque<>();

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

  /** The next move of a segment, or null. */
  @Nullable Move head(int segment) {
    Queue<Move> moves = bySegment.get(segment);
    return moves == null ? null : moves.peek();
  }

  /**
   * Takes a move that may begin, or null if there is none. Its segment's other moves wait until
   * {@link #finished} or {@link #again}.
   *
   * @param hasRoom whether a node may be filled with another segment
   */
  @Nullable Move next(Predicate<NodeId> hasRoom) {
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
    return segment == null ? null : head(segment);
  }

  /** Takes out a segment's next move without beginning it: somebody works on it already. */
  void claim(Move move) {
    Queue<Integer> queue = move.add() == null ? free : byDestination.get(move.add());
    if (queue != null) {
      queue.remove(move.segment());
    }
  }

  /** The move that was taken has been made: the segment's next one may begin. */
  void finished(int segment) {
    Queue<Move> moves = bySegment.get(segment);
    if (moves == null) {
      return;
    }
    moves.poll();
    Move following = moves.peek();
    if (following == null) {
      bySegment.remove(segment);
    } else {
      offer(following);
    }
  }

  /** The move that was taken came to nothing: it may begin again. */
  void again(int segment) {
    Move move = head(segment);
    if (move != null) {
      offer(move);
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
