package dev.headrace.rebalance.placement.ring;

/** How the points of a ring are laid out in memory; the answers are the same. */
public enum RingStructure {

  /** A search tree of linked nodes, as in the original clients. */
  TREE("tree") {
    @Override
    RingLookup over(HashRing ring) {
      return new TreeLookup(ring);
    }
  },

  /** A sorted array and a binary search. */
  ARRAY("array") {
    @Override
    RingLookup over(HashRing ring) {
      return new ArrayLookup(ring);
    }
  },

  /** An array in the order of a breadth-first walk of the search tree: near levels, near memory. */
  EYTZINGER("eytzinger") {
    @Override
    RingLookup over(HashRing ring) {
      return new EytzingerLookup(ring);
    }
  },

  /** Buckets by the position's leading bits, which name the node where no point splits them. */
  DIRECT("direct") {
    @Override
    RingLookup over(HashRing ring) {
      return new DirectLookup(ring);
    }
  };

  private final String label;

  RingStructure(String label) {
    this.label = label;
  }

  abstract RingLookup over(HashRing ring);

  /** The name by which people know it. */
  @Override
  public String toString() {
    return label;
  }
}
