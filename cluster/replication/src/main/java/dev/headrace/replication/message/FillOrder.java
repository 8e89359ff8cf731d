package dev.headrace.replication.message;

import dev.headrace.stream.NodeId;
import java.util.List;

/**
 * The director has primaries fill nodes that are to become owners. Sent again it changes nothing,
 * except that a fill which has ended is begun anew.
 *
 * @param epoch the epoch of the director's table, under which the receiver is primary
 * @param fills what to fill
 */
public record FillOrder(long epoch, List<Fill> fills) implements ReplicationMessage {

  /** The most fills in one message. */
  public static final int MAX_FILLS = 1 << 16;

  /** The most nodes that one fill leads to. */
  public static final int MAX_DESTINATIONS = 1 << 8;

  /** Copies the list. */
  public FillOrder {
    fills = List.copyOf(fills);
  }

  /**
   * One segment, over all caches, to the nodes that are to become its owners in one step.
   *
   * @param migration names the fill in answers
   * @param segment the segment
   * @param destinations who is to get it, at least one
   */
  public record Fill(long migration, int segment, List<NodeId> destinations) {

    /** Copies the list. */
    public Fill {
      destinations = List.copyOf(destinations);
      if (destinations.isEmpty() || destinations.size() > MAX_DESTINATIONS) {
        throw new IllegalArgumentException(
            "a fill leads to 1 to %d nodes, not to %d"
                .formatted(MAX_DESTINATIONS, destinations.size()));
      }
    }
  }
}
