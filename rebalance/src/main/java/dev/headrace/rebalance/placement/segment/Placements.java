package dev.headrace.rebalance.placement.segment;

import dev.headrace.api.placement.BuiltInPlacement;
import dev.headrace.api.placement.CustomPlacement;
import dev.headrace.api.placement.PlacementKind;
import dev.headrace.api.placement.SegmentPlacement;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.WeightedRendezvous;

/** Makes the placement that a setting names. */
public final class Placements {
  private Placements() {}

  public static Placement of(SegmentPlacement choice) {
    if (choice instanceof CustomPlacement custom) {
      return new RulePlacement(custom.name(), custom.rule());
    }
    BuiltInPlacement builtIn = (BuiltInPlacement) choice; // there is no third
    if (builtIn.kind() == PlacementKind.LEVELLED_RENDEZVOUS) {
      return new WeightedRendezvous();
    }
    return new LocatorPlacement(
        LocatorKind.named(builtIn.kind().toString())::locator,
        builtIn.bound().orElse(LocatorPlacement.UNBOUNDED));
  }
}
