package dev.headrace.rebalance.message;

import dev.headrace.stream.NodeId;
import java.util.List;

/**
 * Which segments are being copied; the coordinator tells the others a few times a second while
 * there are some. Since version {@value #PROTOCOL} of the protocol.
 *
 * @param moves the oldest first, at most {@value #MAX_NAMED}
 */
public record MovesNotice(List<Move> moves) implements RebalanceMessage {
  /** The version of the protocol that all members have to know. */
  public static final int PROTOCOL = 8;

  public static final int MAX_NAMED = 256;
  public static final MovesNotice NONE = new MovesNotice(List.of());

  public MovesNotice {
    moves = List.copyOf(moves);
    if (moves.size() > MAX_NAMED) {
      throw new IllegalArgumentException("More than %d moves".formatted(MAX_NAMED));
    }
  }

  /**
   * One segment on its way.
   *
   * @param segment the segment
   * @param source its primary, which is copied from
   * @param destinations the nodes that are to own it, too, at least one
   * @param copied whether these have everything, so that only the table has to say so
   */
  public record Move(int segment, NodeId source, List<NodeId> destinations, boolean copied) {
    public Move {
      destinations = List.copyOf(destinations);
      if (segment < 0 || destinations.isEmpty()) {
        throw new IllegalArgumentException(
            "No move: segment %d to %s".formatted(segment, destinations));
      }
    }
  }
}
