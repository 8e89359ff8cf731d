package dev.headrace.rebalance.placement.bucket;

import com.dynatrace.hash4j.consistent.ConsistentBucketHasher;
import dev.headrace.rebalance.placement.hash.KeyHasher;
import dev.headrace.rebalance.placement.hash.Mixing;
import dev.headrace.rebalance.placement.hash.Xxh3Hasher;
import dev.headrace.rebalance.placement.locator.ListLocator;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeList;
import dev.headrace.rebalance.placement.locator.Preference;
import java.util.List;

/**
 * Jump hashing with weights, from which any node can be removed.
 *
 * <p>Jump hashing by itself can only give up its last bucket. Here the buckets of a node that went
 * stay as vacant ones, and a key that falls on one is hashed again until it falls on another: only
 * the keys of that node move, to all others alike. A node that comes takes vacant buckets over, and
 * with them what had fallen there first. A look-up takes as many hashes as there are buckets for
 * every one that is not vacant.
 */
public final class JumpLocator extends ListLocator {
  private final JumpKind kind;
  private final BucketUnit unit;
  private final Buckets buckets;
  private final ThreadLocal<ConsistentBucketHasher> bucketHashers;

  private JumpLocator(
      JumpKind kind, NodeList nodes, BucketUnit unit, Buckets buckets, KeyHasher hasher) {
    super(nodes, hasher);
    this.kind = kind;
    this.unit = unit;
    this.buckets = buckets;
    this.bucketHashers = ThreadLocal.withInitial(kind::newHasher);
  }

  public static JumpLocator of(JumpKind kind, List<LocatorNode> nodes) {
    NodeList list = new NodeList(nodes);
    BucketUnit unit = BucketUnit.of(list);
    Buckets buckets = Buckets.none();
    for (int node = 0; node < list.size(); node++) {
      buckets = buckets.with(node, unit.buckets(list.weight(node)));
    }
    return new JumpLocator(kind, list, unit, buckets, new Xxh3Hasher(0));
  }

  @Override
  public int locate(long hash) {
    ConsistentBucketHasher bucketHasher = bucketHashers.get();
    int node = node(bucketHasher, hash);
    for (int step = 1; node < 0; step++) {
      node = node(bucketHasher, Mixing.successor(hash, step));
    }
    return node;
  }

  private int node(ConsistentBucketHasher bucketHasher, long hash) {
    return buckets.node(bucketHasher.getBucket(hash, buckets.size()));
  }

  @Override
  public int locate(long hash, int[] owners) {
    ConsistentBucketHasher bucketHasher = bucketHashers.get();
    return Preference.drawn(
        nodes.size(),
        owners,
        step -> node(bucketHasher, step == 0 ? hash : Mixing.successor(hash, step)));
  }

  @Override
  public JumpLocator with(LocatorNode joined) {
    NodeList more = nodes.with(joined);
    unit.check(more);
    Buckets given = buckets.with(nodes.size(), unit.buckets(joined.weight()));
    return new JumpLocator(kind, more, unit, given, hasher);
  }

  @Override
  public JumpLocator without(String name) {
    NodeList fewer = nodes.without(name);
    return new JumpLocator(kind, fewer, unit, buckets.without(nodes.place(name)), hasher);
  }

  @Override
  public long lookUpBytes() {
    return (long) buckets.size() * Integer.BYTES;
  }

  @Override
  public String toString() {
    return kind + " (" + nodes.size() + " nodes, " + buckets.size() + " buckets)";
  }
}
