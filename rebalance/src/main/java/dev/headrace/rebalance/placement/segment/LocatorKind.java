package dev.headrace.rebalance.placement.segment;

import dev.headrace.api.error.LocatorException;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.placement.bucket.AnchorLocator;
import dev.headrace.rebalance.placement.bucket.JumpKind;
import dev.headrace.rebalance.placement.bucket.JumpLocator;
import dev.headrace.rebalance.placement.bucket.MaglevLocator;
import dev.headrace.rebalance.placement.bucket.RendezvousLocator;
import dev.headrace.rebalance.placement.locator.LocatorFactory;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeLocator;
import dev.headrace.rebalance.placement.ring.RingAlgorithm;
import dev.headrace.rebalance.placement.ring.RingLocator;
import dev.headrace.rebalance.placement.ring.RingStructure;
import java.util.Arrays;
import java.util.List;

/** All kinds of locators, each with the settings that suit it best. */
public enum LocatorKind implements LocatorFactory {

  /** 256 segments, placed by levelled weighted rendezvous hashing. */
  SEGMENT_TABLE("segment-table") {
    @Override
    public NodeLocator locator(List<LocatorNode> nodes) {
      return SegmentLocator.placed(
          new WeightedRendezvous(), SegmentLocator.DEFAULT_SEGMENTS, 1, nodes);
    }
  },

  /** Weighted rendezvous hashing. */
  RENDEZVOUS("rendezvous") {
    @Override
    public NodeLocator locator(List<LocatorNode> nodes) {
      return RendezvousLocator.of(nodes);
    }
  },

  /** Maglev hashing. */
  MAGLEV("maglev") {
    @Override
    public NodeLocator locator(List<LocatorNode> nodes) {
      return MaglevLocator.of(nodes);
    }
  },

  /** Jump hashing. */
  JUMP("jump") {
    @Override
    public NodeLocator locator(List<LocatorNode> nodes) {
      return JumpLocator.of(JumpKind.JUMP, nodes);
    }
  },

  /** JumpBackHash. */
  JUMP_BACK("jump-back") {
    @Override
    public NodeLocator locator(List<LocatorNode> nodes) {
      return JumpLocator.of(JumpKind.JUMP_BACK, nodes);
    }
  },

  /** JumpBackAnchorHash. */
  JUMP_BACK_ANCHOR("jump-back-anchor") {
    @Override
    public NodeLocator locator(List<LocatorNode> nodes) {
      return AnchorLocator.of(nodes);
    }
  },

  /** Memcached's ketama ring. */
  KETAMA_MD5("ketama-md5") {
    @Override
    public NodeLocator locator(List<LocatorNode> nodes) {
      return RingLocator.of(RingAlgorithm.KETAMA_MD5, RingStructure.DIRECT, nodes);
    }
  },

  /** The same with MurmurHash3. */
  KETAMA_MURMUR3("ketama-murmur3") {
    @Override
    public NodeLocator locator(List<LocatorNode> nodes) {
      return RingLocator.of(RingAlgorithm.KETAMA_MURMUR3, RingStructure.DIRECT, nodes);
    }
  },

  /** The same with XXH3. */
  KETAMA_XXH3("ketama-xxh3") {
    @Override
    public NodeLocator locator(List<LocatorNode> nodes) {
      return RingLocator.of(RingAlgorithm.KETAMA_XXH3, RingStructure.DIRECT, nodes);
    }
  },

  /** A ring of FNV-1a hashes, to be compared with. */
  SIMPLE_FNV1A("simple-fnv1a") {
    @Override
    public NodeLocator locator(List<LocatorNode> nodes) {
      return RingLocator.of(RingAlgorithm.SIMPLE_FNV1A, RingStructure.DIRECT, nodes);
    }
  };

  private final String label;

  LocatorKind(String label) {
    this.label = label;
  }

  /**
   * The kind of a name.
   *
   * @throws LocatorException if there is none
   */
  public static LocatorKind named(String name) {
    return Arrays.stream(values())
        .filter(kind -> kind.label.equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new LocatorException(
                    "There is no locator \"" + name + "\"; take one of " + List.of(values())));
  }

  /** The name by which people know it. */
  @Override
  public String toString() {
    return label;
  }
}
