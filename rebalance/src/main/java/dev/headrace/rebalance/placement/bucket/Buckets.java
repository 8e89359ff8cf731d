package dev.headrace.rebalance.placement.bucket;

import java.util.Arrays;

/**
 * Which node has which bucket. Those of nodes that went are vacant, until nodes that come take them
 * over; the last ones first. Immutable.
 */
final class Buckets {
  private static final int VACANT = -1;

  private final int[] nodes; // by bucket: the node's place

  private Buckets(int[] nodes) {
    this.nodes = nodes;
  }

  static Buckets none() {
    return new Buckets(new int[0]);
  }

  /** How many buckets there are, vacant ones among them. */
  int size() {
    return nodes.length;
  }

  /** The place of a bucket's node, negative if it is vacant. */
  int node(int bucket) {
    return nodes[bucket];
  }

  /** Gives a node vacant buckets, and new ones when there are none. */
  Buckets with(int node, int count) {
    int[] given = nodes.clone();
    int left = count;
    for (int bucket = given.length - 1; bucket >= 0 && left > 0; bucket--) {
      if (given[bucket] < 0) {
        given[bucket] = node;
        left--;
      }
    }
    int[] all = Arrays.copyOf(given, given.length + left);
    Arrays.fill(all, given.length, all.length, node);
    return new Buckets(all);
  }

  /** Leaves a node's buckets vacant; nodes behind it come forward by a place. */
  Buckets without(int node) {
    int[] left = nodes.clone();
    for (int bucket = 0; bucket < left.length; bucket++) {
      if (left[bucket] == node) {
        left[bucket] = VACANT;
      } else if (left[bucket] > node) {
        left[bucket]--;
      }
    }
    return new Buckets(left);
  }
}
