package dev.headrace.rebalance.placement.ring;

/**
 * Search trees of linked nodes, as in the original clients; but built once, since a ring does not
 * change, one for each prefix of a position, with all leaves at the same depth, and without boxed
 * numbers. So a search takes the same steps for every key, and none of them is a branch that could
 * be mispredicted.
 */
final class TreeLookup implements RingLookup {
  /** A header, two numbers and two references of four bytes each. */
  private static final int BYTES_PER_BRANCH = 32;

  /** A branch, or a leaf, which is its own branches. */
  private static final class Branch {
    final int point; // the greatest point below lower
    final int node; // a leaf's node
    final Branch lower;
    final Branch upper;

    Branch(int node) {
      this.point = 0;
      this.node = node;
      this.lower = this;
      this.upper = this;
    }

    Branch(int point, Branch lower, Branch upper) {
      this.point = point;
      this.node = -1;
      this.lower = lower;
      this.upper = upper;
    }
  }

  private final LeadingBits prefixes;
  private final Branch[] roots;
  private final int depth;

  TreeLookup(HashRing ring) {
    prefixes = new LeadingBits(ring);
    depth = prefixes.steps();
    roots = new Branch[prefixes.count()];
    for (int prefix = 0; prefix < roots.length; prefix++) {
      roots[prefix] = branch(ring, prefixes.start(prefix), depth);
    }
  }

  /**
   * The tree of the leaves from a number on: one for each point, and then those behind the last.
   */
  private static Branch branch(HashRing ring, int first, int depth) {
    if (depth == 0) {
      return new Branch(ring.node(first < ring.size() ? first : 0));
    }
    int half = 1 << (depth - 1);
    int last = first + half - 1;
    int point = last < ring.size() ? HashRing.flip(ring.point(last)) : Integer.MAX_VALUE;
    return new Branch(point, branch(ring, first, depth - 1), branch(ring, first + half, depth - 1));
  }

  @Override
  public int node(int position) {
    int sought = HashRing.flip(position);
    Branch at = roots[prefixes.of(position)];
    for (int level = 0; level < depth; level++) {
      at = at.point < sought ? at.upper : at.lower;
    }
    return at.node;
  }

  @Override
  public long bytes() {
    return prefixes.bytes() + (2L << depth) * BYTES_PER_BRANCH * roots.length;
  }
}
