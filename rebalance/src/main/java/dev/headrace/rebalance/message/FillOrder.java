package dev.headrace.rebalance.message;

import dev.headrace.stream.NodeId;
import java.util.List;

/**
 * The director has primaries fill nodes that are to become owners. Sent again it changes nothing,
 * except that a fill which has ended is begun anew.
 *
 * @param epoch the epoch of the director's table, under which the receiver is primary
 * @param fills what to fill
 */
public record FillOrder(long epoch, List<Fill> fills) implements Message {

  /** The most fills in one message. */
  public static final int MAX_FILLS = 1 << 16;

  /** Copies the list. */
  public FillOrder {
    fills = List.copyOf(fills);
  }

  /**
   * One segment, over all caches, to one node.
   *
   * @param migration names the fill in answers
   * @param segment the segment
   * @param destination who is to get it
   */
  public record Fill(long migration, int segment, NodeId destination) {}
}
