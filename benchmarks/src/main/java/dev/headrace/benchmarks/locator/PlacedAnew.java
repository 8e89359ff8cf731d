package dev.headrace.benchmarks.locator;

import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeLocator;
import dev.headrace.rebalance.placement.segment.SegmentLocator;
import java.util.ArrayList;
import java.util.List;

/** A segment table that a placement fills anew whenever a node comes or goes. */
record PlacedAnew(Placement placement, int segments) implements Quality.Kind {

  @Override
  public NodeLocator locator(List<LocatorNode> nodes) {
    return SegmentLocator.placed(placement, segments, 1, nodes);
  }

  @Override
  public NodeLocator with(NodeLocator locator, LocatorNode joined) {
    List<LocatorNode> nodes = new ArrayList<>(locator.nodes());
    nodes.add(joined);
    return locator(nodes);
  }

  @Override
  public NodeLocator without(NodeLocator locator, String name) {
    return locator(locator.nodes().stream().filter(node -> !node.name().equals(name)).toList());
  }
}
