package dev.headrace.rebalance.placement.bucket;

import dev.headrace.rebalance.placement.hash.KeyHasher;
import dev.headrace.rebalance.placement.hash.Mixing;
import dev.headrace.rebalance.placement.hash.Xxh3Hasher;
import dev.headrace.rebalance.placement.locator.ListLocator;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeList;
import dev.headrace.rebalance.placement.locator.Preference;
import java.util.List;

/**
 * Weighted rendezvous hashing: a key belongs to the node of least cost, {@code -ln(u) / weight},
 * where {@code u} in (0, 1) is a hash of the key and the node. Exactly the keys move that must, and
 * weights may be any; but a look-up asks every node.
 *
 * <p>Source: Schindelhauer and Schomaker, "Weighted distributed hash tables", SPAA 2005.
 */
public final class RendezvousLocator extends ListLocator {
  private static final int[] NONE = {};

  private final long[] marks;
  private final double[] weights;

  /** Among equal weights the greatest hash has the least cost, and no logarithm is taken. */
  private final boolean uniform;

  private RendezvousLocator(NodeList nodes, KeyHasher hasher) {
    super(nodes, hasher);
    this.marks = nodes.all().stream().mapToLong(node -> hasher.hash(node.name())).toArray();
    this.weights = nodes.all().stream().mapToDouble(LocatorNode::weight).toArray();
    this.uniform = nodes.isUniform();
  }

  public static RendezvousLocator of(List<LocatorNode> nodes) {
    return new RendezvousLocator(new NodeList(nodes), new Xxh3Hasher(0));
  }

  @Override
  public int locate(long hash) {
    return uniform ? greatest(hash) : cheapest(hash, NONE, 0);
  }

  @Override
  public int locate(long hash, int[] owners) {
    int wanted = Math.min(owners.length, marks.length);
    for (int found = 0; found < wanted; found++) {
      owners[found] = cheapest(hash, owners, found);
    }
    return wanted;
  }

  private int greatest(long hash) {
    int best = 0;
    long greatest = Long.MIN_VALUE;
    for (int node = 0; node < marks.length; node++) {
      long score = Mixing.combine(hash, marks[node]) >>> 11;
      if (score > greatest) {
        greatest = score;
        best = node;
      }
    }
    return best;
  }

  /** The node of least cost, those aside that were found before. */
  private int cheapest(long hash, int[] before, int count) {
    int best = -1;
    double least = Double.POSITIVE_INFINITY;
    for (int node = 0; node < marks.length; node++) {
      double cost = cost(Mixing.combine(hash, marks[node]), weights[node]);
      if (cost < least && !Preference.contains(before, count, node)) {
        least = cost;
        best = node;
      }
    }
    return best;
  }

  private static double cost(long hash, double weight) {
    double u = ((hash >>> 11) + 0.5) * 0x1.0p-53;
    // StrictMath, so that every machine finds the same.
    return -StrictMath.log(u) / weight;
  }

  @Override
  public RendezvousLocator with(LocatorNode joined) {
    return new RendezvousLocator(nodes.with(joined), hasher);
  }

  @Override
  public RendezvousLocator without(String name) {
    return new RendezvousLocator(nodes.without(name), hasher);
  }

  @Override
  public long lookUpBytes() {
    return (long) marks.length * (Long.BYTES + Double.BYTES);
  }

  @Override
  public String toString() {
    return "rendezvous (" + nodes.size() + " nodes)";
  }
}
