package dev.headrace.api.placement;

import dev.headrace.api.error.PlacementException;
import java.math.BigDecimal;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * A placement that Headrace brings along.
 *
 * @param kind how segments are placed
 * @param bound the most that a node gets, as a multiple of its share; empty for no bound
 */
public record BuiltInPlacement(PlacementKind kind, OptionalDouble bound)
    implements SegmentPlacement {

  /** The greatest bound. */
  public static final int MAX_BOUND = 1000;

  /**
   * Checks the bound.
   *
   * @throws PlacementException if it is not between 1 and {@link #MAX_BOUND}, or the kind is level
   *     anyway
   */
  public BuiltInPlacement {
    Objects.requireNonNull(kind, "kind");
    if (bound.isPresent() && kind == PlacementKind.LEVELLED_RENDEZVOUS) {
      throw new PlacementException(
          kind + " takes no bound: it gives every node exactly its share; leave the bound out");
    }
    if (bound.isPresent() && !(bound.getAsDouble() >= 1 && bound.getAsDouble() <= MAX_BOUND)) {
      throw wrongBound(kind.toString(), String.valueOf(bound.getAsDouble()));
    }
  }

  static BuiltInPlacement parse(String name) {
    int colon = name.indexOf(':');
    if (colon < 0) {
      return new BuiltInPlacement(PlacementKind.named(name), OptionalDouble.empty());
    }
    PlacementKind kind = PlacementKind.named(name.substring(0, colon));
    String bound = name.substring(colon + 1);
    try {
      return new BuiltInPlacement(kind, OptionalDouble.of(Double.parseDouble(bound)));
    } catch (NumberFormatException e) {
      throw wrongBound(kind.toString(), '"' + bound + '"');
    }
  }

  private static PlacementException wrongBound(String kind, String bound) {
    return new PlacementException(
        "The bound of placement "
            + kind
            + " is "
            + bound
            + "; give how many times its share a node may get, from 1 to "
            + MAX_BOUND
            + ", such as "
            + kind
            + ":1.25, or none");
  }

  @Override
  public String name() {
    if (bound.isEmpty()) {
      return kind.toString();
    }
    BigDecimal times = BigDecimal.valueOf(bound.getAsDouble()).stripTrailingZeros();
    return kind + ":" + times.toPlainString();
  }

  @Override
  public String toString() {
    return name();
  }
}
