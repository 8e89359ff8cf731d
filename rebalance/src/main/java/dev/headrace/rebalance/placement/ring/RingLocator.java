package dev.headrace.rebalance.placement.ring;

import dev.headrace.rebalance.placement.hash.KeyHasher;
import dev.headrace.rebalance.placement.locator.ListLocator;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeList;
import dev.headrace.rebalance.placement.locator.Preference;
import java.util.List;

/**
 * A locator by a hash ring. A key's further nodes are those of the points that follow on the ring.
 *
 * <p>The weight that stands for the algorithm's number of points is the mean of the first nodes';
 * it stays when nodes come and go, so that no other node's points change.
 */
public final class RingLocator extends ListLocator {
  private final RingAlgorithm algorithm;
  private final RingStructure structure;
  private final double unitWeight;
  private final HashRing ring;
  private final RingLookup lookup;

  private RingLocator(
      RingAlgorithm algorithm,
      RingStructure structure,
      double unitWeight,
      NodeList nodes,
      KeyHasher hasher) {
    super(nodes, hasher);
    this.algorithm = algorithm;
    this.structure = structure;
    this.unitWeight = unitWeight;
    this.ring = HashRing.of(algorithm, nodes, unitWeight);
    this.lookup = structure.over(ring);
  }

  public static RingLocator of(
      RingAlgorithm algorithm, RingStructure structure, List<LocatorNode> nodes) {
    NodeList list = new NodeList(nodes);
    double unitWeight = list.isUniform() ? list.weight(0) : list.totalWeight() / list.size();
    return new RingLocator(algorithm, structure, unitWeight, list, algorithm.newHasher());
  }

  @Override
  public int locate(long hash) {
    return lookup.node(algorithm.position(hash));
  }

  @Override
  public int locate(long hash, int[] owners) {
    int wanted = Math.min(owners.length, nodes.size());
    int first = ring.firstFrom(algorithm.position(hash));
    int found = 0;
    for (int step = 0; found < wanted && step < ring.size(); step++) {
      int index = first + step;
      int node = ring.node(index < ring.size() ? index : index - ring.size());
      if (!Preference.contains(owners, found, node)) {
        owners[found++] = node;
      }
    }
    return found;
  }

  @Override
  public RingLocator with(LocatorNode joined) {
    return new RingLocator(algorithm, structure, unitWeight, nodes.with(joined), hasher);
  }

  @Override
  public RingLocator without(String name) {
    return new RingLocator(algorithm, structure, unitWeight, nodes.without(name), hasher);
  }

  public HashRing ring() {
    return ring;
  }

  @Override
  public long lookUpBytes() {
    return lookup.bytes();
  }

  @Override
  public String toString() {
    return algorithm + " " + structure + " (" + nodes.size() + " nodes)";
  }
}
