package dev.headrace.rebalance.placement.bucket;

import com.dynatrace.hash4j.consistent.ConsistentBucketSetHasher;
import com.dynatrace.hash4j.consistent.ConsistentHashing;
import com.dynatrace.hash4j.random.PseudoRandomGeneratorProvider;
import dev.headrace.rebalance.placement.hash.KeyHasher;
import dev.headrace.rebalance.placement.hash.Mixing;
import dev.headrace.rebalance.placement.hash.Xxh3Hasher;
import dev.headrace.rebalance.placement.locator.ListLocator;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeList;
import dev.headrace.rebalance.placement.locator.Preference;
import java.util.Arrays;
import java.util.List;

/**
 * JumpBackAnchorHash: buckets of which any may be removed, in expected time that grows with the
 * logarithm of those removed. The order in which nodes came and went is part of it: locators agree
 * only if they have the same history.
 *
 * <p>Source: Mendelson and others, "AnchorHash: a scalable consistent hash", ToN 2021, over
 * JumpBackHash, as in hash4j.
 */
public final class AnchorLocator extends ListLocator {
  private static final int VACANT = -1;

  private final BucketUnit unit;
  private final byte[] state; // what the library needs to know of the buckets
  private final int[] nodeOf;

  private final ThreadLocal<ConsistentBucketSetHasher> bucketHashers;

  private AnchorLocator(
      NodeList nodes, BucketUnit unit, KeyHasher hasher, byte[] state, int[] nodeOf) {
    super(nodes, hasher);
    this.unit = unit;
    this.state = state;
    this.nodeOf = nodeOf;
    this.bucketHashers = ThreadLocal.withInitial(() -> bucketHasher().setState(state));
  }

  public static AnchorLocator of(List<LocatorNode> nodes) {
    NodeList list = new NodeList(nodes);
    BucketUnit unit = BucketUnit.of(list);
    ConsistentBucketSetHasher buckets = bucketHasher();
    int[] nodeOf = {};
    for (int node = 0; node < list.size(); node++) {
      nodeOf = added(buckets, nodeOf, node, unit.buckets(list.weight(node)));
    }
    return new AnchorLocator(list, unit, new Xxh3Hasher(0), buckets.getState(), nodeOf);
  }

  private static ConsistentBucketSetHasher bucketHasher() {
    return ConsistentHashing.jumpBackAnchorHash(PseudoRandomGeneratorProvider.splitMix64_V1());
  }

  private static int[] added(ConsistentBucketSetHasher buckets, int[] nodeOf, int node, int count) {
    int[] all = nodeOf.clone();
    for (int i = 0; i < count; i++) {
      int bucket = buckets.addBucket();
      all = bucket < all.length ? all : Arrays.copyOf(all, bucket + 1);
      all[bucket] = node;
    }
    return all;
  }

  @Override
  public int locate(long hash) {
    return nodeOf[bucketHashers.get().getBucket(hash)];
  }

  @Override
  public int locate(long hash, int[] owners) {
    ConsistentBucketSetHasher buckets = bucketHashers.get();
    return Preference.drawn(
        nodes.size(),
        owners,
        step -> nodeOf[buckets.getBucket(step == 0 ? hash : Mixing.successor(hash, step))]);
  }

  @Override
  public AnchorLocator with(LocatorNode joined) {
    NodeList more = nodes.with(joined);
    unit.check(more);
    ConsistentBucketSetHasher buckets = bucketHasher().setState(state);
    int[] all = added(buckets, nodeOf, nodes.size(), unit.buckets(joined.weight()));
    return new AnchorLocator(more, unit, hasher, buckets.getState(), all);
  }

  @Override
  public AnchorLocator without(String name) {
    NodeList fewer = nodes.without(name);
    int node = nodes.place(name);
    ConsistentBucketSetHasher buckets = bucketHasher().setState(state);
    int[] left = nodeOf.clone();
    for (int bucket = left.length - 1; bucket >= 0; bucket--) {
      if (left[bucket] == node) {
        buckets.removeBucket(bucket);
        left[bucket] = VACANT;
      } else if (left[bucket] > node) {
        left[bucket]--;
      }
    }
    return new AnchorLocator(fewer, unit, hasher, buckets.getState(), left);
  }

  @Override
  public long lookUpBytes() {
    return (long) nodeOf.length * Integer.BYTES + state.length;
  }

  @Override
  public String toString() {
    return "jump-back-anchor (" + nodes.size() + " nodes, " + nodeOf.length + " buckets)";
  }
}
