package dev.headrace.rebalance.migration;

import dev.headrace.stream.NodeId;
import java.util.List;

/**
 * One segment, over all caches, that its primary copies to the nodes that are to become its owners
 * in one step.
 *
 * @param migration names the copy in reports
 * @param segment the segment
 * @param destinations who is to get it, 1 to {@value #MAX_DESTINATIONS}
 */
public record SegmentCopy(long migration, int segment, List<NodeId> destinations) {
  /** The most nodes that one copy leads to. */
  public static final int MAX_DESTINATIONS = 1 << 8;

  public SegmentCopy {
    destinations = List.copyOf(destinations);
  }
}
