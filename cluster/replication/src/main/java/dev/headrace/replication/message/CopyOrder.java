package dev.headrace.replication.message;

import dev.headrace.stream.NodeId;
import java.util.List;

/**
 * The coordinator has primaries copy segments to nodes that are to become owners. Sent again it
 * changes nothing, except that a copy which has ended is begun anew.
 *
 * @param epoch the epoch of the coordinator's table, under which the receiver is primary
 * @param copies what to copy
 */
public record CopyOrder(long epoch, List<Copy> copies) implements ReplicationMessage {
  /** The most copies in one message. */
  public static final int MAX_COPIES = 1 << 16;

  /** The most nodes that one copy leads to. */
  public static final int MAX_DESTINATIONS = 1 << 8;

  public CopyOrder {
    copies = List.copyOf(copies);
  }

  /**
   * One segment, over all caches, to the nodes that are to become its owners in one step.
   *
   * @param migration names the copy in answers
   * @param segment the segment
   * @param destinations who is to get it, at least one
   */
  public record Copy(long migration, int segment, List<NodeId> destinations) {
    public Copy {
      destinations = List.copyOf(destinations);
      if (destinations.isEmpty() || destinations.size() > MAX_DESTINATIONS) {
        throw new IllegalArgumentException(
            "a copy leads to 1 to %d nodes, not to %d"
                .formatted(MAX_DESTINATIONS, destinations.size()));
      }
    }
  }
}
