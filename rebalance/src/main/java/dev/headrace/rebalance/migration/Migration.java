package dev.headrace.rebalance.migration;

import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.plan.Move;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Objects;

/**
 * Moves of one segment that follow each other and have begun as one step: the owners change once.
 * Guarded by the coordinator.
 *
 * <pre>
 * state    event             guard                         next     effects
 * -------- ----------------- ----------------------------- -------- ---------------------------
 * (begin)                    a node gets a replica         COPYING  copy ordered of the primary
 * (begin)                    nothing is to be copied       READY
 * COPYING  report            ready                         READY    room for another copy
 * COPYING, report            failed                        FAILED   the copy is made again later
 * READY
 * FAILED   resend period                                   COPYING  ordered again
 * COPYING, resend period                                   same     ordered again: a source ends
 * READY                                                             what nobody asks for
 * READY    commit            owners are still as before    READY    proposed
 * any      table             owners are as the moves want  (ends)   made
 * any      table, plan       owners changed otherwise, or  (ends)   source told to stop
 *                            no longer wanted
 * </pre>
 */
final class Migration {
  private final long id;
  private final List<Move> moves;
  private final List<NodeId> destinations;
  private final List<NodeId> rowBefore;
  private final long segmentEpoch;
  private State state;
  private long sinceNanos;
  private long copiedBytes;

  /** How far a migration is. */
  enum State {
    /** The source has been told, or copies. */
    COPYING,
    /** The source could not; it is asked again later. */
    FAILED,
    /** The destinations have everything: the table may be changed. */
    READY
  }

  /**
   * @param moves of one segment, at least one
   * @param before the table that it begins under
   */
  Migration(long id, List<Move> moves, SegmentTable before, long nowNanos) {
    int segment = moves.get(0).segment();
    this.id = id;
    this.moves = moves;
    this.rowBefore = before.owners(segment);
    this.segmentEpoch = before.segmentEpoch(segment);
    this.destinations =
        rowBefore.isEmpty()
            ? List.of()
            : moves.stream().map(Move::add).filter(Objects::nonNull).toList();
    this.state = copies() ? State.COPYING : State.READY;
    this.sinceNanos = nowNanos;
  }

  long id() {
    return id;
  }

  int segment() {
    return moves.get(0).segment();
  }

  List<Move> moves() {
    return moves;
  }

  /** The owners when it has come in force. */
  List<NodeId> targetRow() {
    return moves.get(moves.size() - 1).targetRow();
  }

  /** The owners when it began. */
  List<NodeId> rowBefore() {
    return rowBefore;
  }

  /** The epoch at which they became the owners. */
  long segmentEpoch() {
    return segmentEpoch;
  }

  /** The node that copies, if anything is to be copied: the segment's primary. */
  NodeId source() {
    return rowBefore.get(0);
  }

  List<NodeId> destinations() {
    return destinations;
  }

  boolean copies() {
    return !destinations.isEmpty();
  }

  /** What its source is told. */
  SegmentCopy order() {
    return new SegmentCopy(id, segment(), destinations);
  }

  /** What everybody is told. */
  MovesNotice.Move told() {
    return new MovesNotice.Move(segment(), source(), destinations, state == State.READY);
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
    return "%s %s as migration %x".formatted(state, moves, id);
  }
}
