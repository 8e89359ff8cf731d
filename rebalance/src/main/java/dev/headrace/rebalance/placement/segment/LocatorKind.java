package dev.headrace.rebalance.placement.segment;

import dev.headrace.api.error.LocatorException;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.placement.bucket.AnchorLocator;
import dev.headrace.rebalance.placement.bucket.JumpKind;
import dev.headrace.rebalance.placement.bucket.JumpLocator;
import dev.headrace.rebalance.placement.bucket.MaglevLocator;
import dev.headrace.rebalance.placement.bucket.RendezvousLocator;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeLocator;
import dev.headrace.rebalance.placement.ring.RingAlgorithm;
import dev.headrace.rebalance.placement.ring.RingLocator;
import dev.headrace.rebalance.placement.ring.RingStructure;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** All kinds of locators, each with the settings that suit it best. */
@SuppressWarnings("ImmutableEnumChecker") // the functions have no state
public enum LocatorKind {
  /** 256 segments, placed by levelled weighted rendezvous hashing. */
  SEGMENT_TABLE(
      "segment-table",
      nodes ->
          SegmentLocator.placed(
              new WeightedRendezvous(), SegmentLocator.DEFAULT_SEGMENTS, 1, nodes)),

  RENDEZVOUS("rendezvous", RendezvousLocator::of),
  MAGLEV("maglev", MaglevLocator::of),
  JUMP("jump", nodes -> JumpLocator.of(JumpKind.JUMP, nodes)),
  JUMP_BACK("jump-back", nodes -> JumpLocator.of(JumpKind.JUMP_BACK, nodes)),
  JUMP_BACK_ANCHOR("jump-back-anchor", AnchorLocator::of),
  KETAMA_MD5("ketama-md5", ring(RingAlgorithm.KETAMA_MD5)),
  KETAMA_MURMUR3("ketama-murmur3", ring(RingAlgorithm.KETAMA_MURMUR3)),
  KETAMA_XXH3("ketama-xxh3", ring(RingAlgorithm.KETAMA_XXH3)),
  SIMPLE_FNV1A("simple-fnv1a", ring(RingAlgorithm.SIMPLE_FNV1A));

  private final String label;
  private final Function<List<LocatorNode>, NodeLocator> factory;

  LocatorKind(String label, Function<List<LocatorNode>, NodeLocator> factory) {
    this.label = label;
    this.factory = factory;
  }

  private static Function<List<LocatorNode>, NodeLocator> ring(RingAlgorithm algorithm) {
    return nodes -> RingLocator.of(algorithm, RingStructure.DIRECT, nodes);
  }

  /**
   * A locator of these nodes.
   *
   * @throws LocatorException if there are no nodes, two of the same name, or weights that lie too
   *     far apart
   */
  public NodeLocator locator(List<LocatorNode> nodes) {
    return factory.apply(nodes);
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

  @Override
  public String toString() {
    return label;
  }
}
