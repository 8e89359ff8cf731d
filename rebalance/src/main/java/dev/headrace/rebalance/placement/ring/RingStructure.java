package dev.headrace.rebalance.placement.ring;

import java.util.function.Function;

/** How the points of a ring are laid out in memory; the answers are the same. */
@SuppressWarnings("ImmutableEnumChecker") // the functions have no state
public enum RingStructure {
  /** A search tree of linked nodes, as in the original clients. */
  TREE("tree", TreeLookup::new),

  /** A sorted array and a binary search. */
  ARRAY("array", ArrayLookup::new),

  /** An array in the order of a breadth-first walk of the search tree: near levels, near memory. */
  EYTZINGER("eytzinger", EytzingerLookup::new),

  /** Buckets by the position's leading bits, which name the node where no point splits them. */
  DIRECT("direct", DirectLookup::new);

  private final String label;
  private final Function<HashRing, RingLookup> lookups;

  RingStructure(String label, Function<HashRing, RingLookup> lookups) {
    this.label = label;
    this.lookups = lookups;
  }

  RingLookup over(HashRing ring) {
    return lookups.apply(ring);
  }

  @Override
  public String toString() {
    return label;
  }
}
