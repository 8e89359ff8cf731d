package dev.headrace.rebalance.migration;

import dev.headrace.rebalance.plan.Move;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.List;

/** A move that has begun. Guarded by the director. */
final class Migration {
  private final long id;
  private final Move move;
  private final List<NodeId> rowBefore;
  private final long segmentEpoch;
  private State state;
  private long sinceNanos;
  private long copiedBytes;

  /** How far a migration is. */
  enum State {
    /** The source has been told, or copies. */
    FILLING,
    /** The source could not; it is asked again later. */
    FAILED,
    /** The destination has everything: the table may be changed. */
    READY
  }

  /**
   * @param before the table that it begins under
   */
  Migration(long id, Move move, SegmentTable before, State state, long nowNanos) {
    this.id = id;
    this.move = move;
    this.rowBefore = before.owners(move.segment());
    this.segmentEpoch = before.segmentEpoch(move.segment());
    this.state = state;
    this.sinceNanos = nowNanos;
  }

  long id() {
    return id;
  }

  int segment() {
    return move.segment();
  }

  Move move() {
    return move;
  }

  /** The owners when it began. */
  List<NodeId> rowBefore() {
    return rowBefore;
  }

  /** The epoch at which they became the owners. */
  long segmentEpoch() {
    return segmentEpoch;
  }

  /** The node that fills, if anything is to be filled: the segment's primary. */
  NodeId source() {
    return rowBefore.get(0);
  }

  boolean copies() {
    return move.add() != null && !rowBefore.isEmpty();
  }

  State state() {
    return state;
  }

  /** When it entered its state, or was last spoken of. */
  long sinceNanos() {
    return sinceNanos;
  }

  void enter(State next, long nowNanos) {
    state = next;
    sinceNanos = nowNanos;
  }

  long copiedBytes() {
    return copiedBytes;
  }

  void copied(long bytes) {
    copiedBytes = bytes;
  }

  @Override
  public String toString() {
    return "%s %s as migration %x".formatted(state, move, id);
  }
}
