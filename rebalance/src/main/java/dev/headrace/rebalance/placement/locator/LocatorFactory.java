package dev.headrace.rebalance.placement.locator;

import dev.headrace.api.error.LocatorException;
import java.util.List;

/** Makes locators of one kind. Safe for any thread. */
@FunctionalInterface
public interface LocatorFactory {

  /**
   * A locator of these nodes.
   *
   * @throws LocatorException if there are no nodes, two of the same name, or weights that lie too
   *     far apart
   */
  NodeLocator locator(List<LocatorNode> nodes);
}
