package dev.headrace.rebalance.placement.locator;

import dev.headrace.rebalance.placement.hash.KeyHasher;
import java.util.List;

/** What locators have in common: a list of nodes, and a hasher of keys. */
public abstract class ListLocator implements NodeLocator {
  protected final NodeList nodes;
  protected final KeyHasher hasher;

  protected ListLocator(NodeList nodes, KeyHasher hasher) {
    this.nodes = nodes;
    this.hasher = hasher;
  }

  @Override
  public final List<LocatorNode> nodes() {
    return nodes.all();
  }

  @Override
  public final KeyHasher hasher() {
    return hasher;
  }
}
