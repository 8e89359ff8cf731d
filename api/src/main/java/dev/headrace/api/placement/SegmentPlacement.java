package dev.headrace.api.placement;

import dev.headrace.api.error.PlacementException;
import java.util.OptionalDouble;

/**
 * The choice of how a cluster fills its segment table. All caches of a cluster share the table, so
 * that the choice is a setting of its nodes; it cannot be changed while the cluster lives.
 */
public sealed interface SegmentPlacement permits BuiltInPlacement, CustomPlacement {

  /** The default: weighted rendezvous hashing, levelled. */
  SegmentPlacement LEVELLED_RENDEZVOUS = of(PlacementKind.LEVELLED_RENDEZVOUS);

  /**
   * What data nodes compare when one of them joins: the name of the kind or the rule, followed by a
   * colon and the bound if there is one, such as {@code maglev:1.25}.
   *
   * @return a text that {@link #named} takes back if it is that of a built-in placement
   */
  String name();

  /**
   * A built-in placement without a bound.
   *
   * @param kind how segments are placed
   */
  static SegmentPlacement of(PlacementKind kind) {
    return new BuiltInPlacement(kind, OptionalDouble.empty());
  }

  /**
   * A built-in placement in which no node gets more than its share times the bound, rounded up;
   * what does not fit goes to the next node.
   *
   * @param kind how segments are placed
   * @param bound from 1 to {@link BuiltInPlacement#MAX_BOUND}, such as 1.25
   * @throws PlacementException if the bound is outside this range, or the kind is level anyway
   */
  static SegmentPlacement of(PlacementKind kind, double bound) {
    return new BuiltInPlacement(kind, OptionalDouble.of(bound));
  }

  /**
   * The built-in placement of a {@link #name}.
   *
   * @param name a kind, and perhaps a colon and a bound: {@code ketama-md5} or {@code maglev:1.25}
   * @throws PlacementException if there is no such kind, or the bound is not a number in its range
   */
  static SegmentPlacement named(String name) {
    return BuiltInPlacement.parse(name);
  }

  /**
   * A placement by a rule of your own.
   *
   * @param name tells the rule from others. Nodes compare names, not code: give a rule that places
   *     otherwise another name
   * @param rule a pure function, the same on all data nodes
   * @throws PlacementException if the name is that of a built-in placement, or not made of 1 to 64
   *     letters, digits, dots, hyphens and underscores
   */
  static SegmentPlacement custom(String name, PlacementRule rule) {
    return new CustomPlacement(name, rule);
  }
}
