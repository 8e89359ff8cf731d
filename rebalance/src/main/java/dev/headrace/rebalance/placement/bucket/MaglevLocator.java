package dev.headrace.rebalance.placement.bucket;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.rebalance.placement.hash.KeyHasher;
import dev.headrace.rebalance.placement.hash.Xxh3Hasher;
import dev.headrace.rebalance.placement.locator.ListLocator;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeList;
import dev.headrace.rebalance.placement.locator.Preference;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Maglev hashing: a table that the nodes fill in turn, each in an order of its own, so all get the
 * same number of slots to within one. A look-up is one access; but where slots are contended for, a
 * change of the nodes moves a few keys that need not move.
 *
 * <p>A node of less weight skips turns. The table keeps its size, since another would move all
 * keys: make a new locator when there are many times the nodes. A key's further nodes are those of
 * the slots that follow.
 *
 * <p>Source: Eisenbud and others, "Maglev: a fast and reliable software network load balancer",
 * NSDI 2016, section 3.4.
 */
public final class MaglevLocator extends ListLocator {
  /** The paper's small table; a prime, so that every node comes to every slot. */
  private static final int MIN_SLOTS = 65_537;

  /** With so many slots a node, the fullest has at most a hundredth more than the mean. */
  private static final int SLOTS_PER_NODE = 200;

  private final char[] slots;

  private MaglevLocator(NodeList nodes, KeyHasher hasher, int size) {
    super(nodes, hasher);
    this.slots = filled(nodes, size);
  }

  public static MaglevLocator of(List<LocatorNode> nodes) {
    NodeList list = new NodeList(nodes);
    return new MaglevLocator(list, new Xxh3Hasher(0), size(list.size()));
  }

  private static int size(int nodes) {
    int wanted = nodes * SLOTS_PER_NODE;
    boolean small = wanted <= MIN_SLOTS;
    return small ? MIN_SLOTS : BigInteger.valueOf(wanted).nextProbablePrime().intValue();
  }

  private static char[] filled(NodeList nodes, int size) {
    int[] next = new int[nodes.size()];
    int[] skips = new int[nodes.size()];
    double greatest = 0;
    for (int node = 0; node < next.length; node++) {
      HashValue128 hash =
          Hashing.xxh3_128().hashBytesTo128Bits(nodes.name(node).getBytes(StandardCharsets.UTF_8));
      next[node] = (int) Long.remainderUnsigned(hash.getMostSignificantBits(), size);
      skips[node] = 1 + (int) Long.remainderUnsigned(hash.getLeastSignificantBits(), size - 1);
      greatest = Math.max(greatest, nodes.weight(node));
    }
    char[] slots = new char[size];
    Arrays.fill(slots, Character.MAX_VALUE);
    double[] credits = new double[next.length];
    int free = size;
    for (int node = 0; free > 0; node = node + 1 < next.length ? node + 1 : 0) {
      credits[node] += nodes.weight(node) / greatest;
      if (credits[node] >= 1) {
        credits[node]--;
        while (slots[next[node]] != Character.MAX_VALUE) {
          next[node] = (int) (((long) next[node] + skips[node]) % size);
        }
        slots[next[node]] = (char) node;
        free--;
      }
    }
    return slots;
  }

  @Override
  public int locate(long hash) {
    return slots[slot(hash)];
  }

  private int slot(long hash) {
    return (int) (((hash >>> 32) * slots.length) >>> 32);
  }

  @Override
  public int locate(long hash, int[] owners) {
    int wanted = Math.min(owners.length, nodes.size());
    int slot = slot(hash);
    int found = 0;
    for (int step = 0; found < wanted && step < slots.length; step++) {
      if (!Preference.contains(owners, found, slots[slot])) {
        owners[found++] = slots[slot];
      }
      slot = slot + 1 < slots.length ? slot + 1 : 0;
    }
    return found;
  }

  @Override
  public MaglevLocator with(LocatorNode joined) {
    return new MaglevLocator(nodes.with(joined), hasher, slots.length);
  }

  @Override
  public MaglevLocator without(String name) {
    return new MaglevLocator(nodes.without(name), hasher, slots.length);
  }

  @Override
  public long lookUpBytes() {
    return (long) slots.length * Character.BYTES;
  }

  @Override
  public String toString() {
    return "maglev (" + nodes.size() + " nodes, " + slots.length + " slots)";
  }
}
