package dev.headrace.rebalance.placement.locator;

import dev.headrace.api.error.LocatorException;

/**
 * A node as a locator knows it.
 *
 * @param name what identifies it and is hashed where the node itself is, such as {@code
 *     10.0.0.1:11211}
 * @param weight its capacity beside that of the others: greater than 0 and finite
 */
public record LocatorNode(String name, double weight) {
  /**
   * Checks the fields.
   *
   * @throws LocatorException if the name is empty or the weight is not a positive, finite number
   */
  public LocatorNode {
    if (name.isEmpty()) {
      throw new LocatorException("A node has an empty name; name it by its address and port");
    }
    if (!(weight > 0 && Double.isFinite(weight))) {
      throw new LocatorException(
          "The weight of node %s is %s; give it a positive number, or leave the node out"
              .formatted(name, weight));
    }
  }

  public LocatorNode(String name) {
    this(name, 1);
  }
}
