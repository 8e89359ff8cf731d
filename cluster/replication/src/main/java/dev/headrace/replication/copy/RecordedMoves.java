package dev.headrace.replication.copy;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.stream.NodeId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A copy for the JDK's flight recorder, which has an event for each of its destinations. Exists
 * only while somebody records. Thread-safe; {@link #ended} is called once.
 */
public final class RecordedMoves {
  private final Map<NodeId, Move> moves;
  private final Supplier<Extent> extent;

  /**
   * What a node has of a segment.
   *
   * @param caches the number of caches with entries
   * @param entries the number of entries of all caches
   */
  public record Extent(int caches, long entries) {}

  private record Move(MoveFlight flight, AtomicLong bytes) {}

  private RecordedMoves(Map<NodeId, Move> moves, Supplier<Extent> extent) {
    this.moves = moves;
    this.extent = extent;
  }

  /**
   * The moves of a copy that begins; null if nobody records.
   *
   * @param self the node that copies
   * @param table the table under which it does
   * @param extent supplies what that node has of the segment
   */
  public static @Nullable RecordedMoves begin(
      CopyOrder.Copy order, NodeId self, SegmentTable table, Supplier<Extent> extent) {
    if (!new MoveFlight().isEnabled()) {
      return null;
    }
    Map<NodeId, Move> moves = new LinkedHashMap<>();
    for (NodeId destination : order.destinations()) {
      MoveFlight flight = new MoveFlight();
      flight.segment = order.segment();
      flight.from = name(self, table);
      flight.to = name(destination, table);
      flight.begin();
      moves.put(destination, new Move(flight, new AtomicLong()));
    }
    return new RecordedMoves(moves, extent);
  }

  private static String name(NodeId node, SegmentTable table) {
    Member member = table.member(node);
    return member == null ? node.toString() : member.name();
  }

  /** A destination has read so many more bytes of entries. */
  void copied(NodeId destination, long bytes) {
    Move move = moves.get(destination);
    if (move != null) {
      move.bytes.addAndGet(bytes);
    }
  }

  /**
   * The copy is over.
   *
   * @param owners the owners of the segment; empty if these have not changed
   * @param failure why those destinations have not become owners that are none
   */
  void ended(List<NodeId> owners, String failure) {
    Extent had = extent.get();
    moves.forEach(
        (destination, move) -> {
          MoveFlight flight = move.flight;
          flight.end();
          if (flight.shouldCommit()) {
            boolean moved = owners.contains(destination);
            flight.caches = had.caches;
            flight.entries = had.entries;
            flight.bytes = move.bytes.get();
            flight.outcome = moved ? "moved" : "failed";
            flight.failure = moved ? null : failure;
            flight.commit();
          }
        });
  }
}
