package dev.headrace.api.placement;

import java.util.List;

/**
 * Places segments on nodes.
 *
 * <p>A pure function: the same arguments must give the same rows, on every node and at every time.
 * The node that decides on the segment table asks it, when nodes come and go, on a thread that must
 * not be held up: no input or output, and no more than milliseconds. So that few segments move, it
 * should give a segment to other nodes only where it must.
 */
@FunctionalInterface
public interface PlacementRule {

  /**
   * Places all segments.
   *
   * @param segments number of segments
   * @param owners owners that each segment gets: as many as are configured, or as there are nodes
   * @param nodes all nodes that may own segments, at least one, in the order in which they joined;
   *     nodes that leave are left out
   * @return for each segment its owners, the primary first, as places in {@code nodes}: exactly
   *     {@code owners} different ones, in as many zones as there can be
   */
  int[][] place(int segments, int owners, List<PlacementNode> nodes);
}
