package dev.headrace.rebalance.plan;

import java.util.Arrays;

/**
 * For each node the segments it got, in that order; those that it gave away again stay in the list,
 * so a reader checks each. Not thread-safe.
 */
final class SegmentLists {
  private final int[][] segments;
  private final int[] sizes;

  SegmentLists(int nodes) {
    segments = new int[nodes][16];
    sizes = new int[nodes];
  }

  /** The lists of all that an assignment holds. */
  static SegmentLists of(Assignment rows) {
    SegmentLists lists = new SegmentLists(rows.nodes());
    for (int segment = 0; segment < rows.segments(); segment++) {
      for (int index = 0; index < rows.size(segment); index++) {
        lists.add(rows.node(segment, index), segment);
      }
    }
    return lists;
  }

  void add(int node, int segment) {
    if (sizes[node] == segments[node].length) {
      segments[node] = Arrays.copyOf(segments[node], 2 * sizes[node]);
    }
    segments[node][sizes[node]++] = segment;
  }

  int size(int node) {
    return sizes[node];
  }

  int get(int node, int index) {
    return segments[node][index];
  }
}
