package dev.headrace.rebalance.placement.locator;

import dev.headrace.api.error.LocatorException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The nodes of a locator, of which there is at least one and none twice. Immutable.
 *
 * @param all the nodes; they are named by their places here
 */
public record NodeList(List<LocatorNode> all) {
  /** The most nodes of a locator, as of a segment table. */
  public static final int MAX_NODES = Short.MAX_VALUE;

  /**
   * Copies and checks the nodes.
   *
   * @throws LocatorException if there is none or more than {@link #MAX_NODES}, or one has the name
   *     of another
   */
  public NodeList {
    all = List.copyOf(all);
    if (all.isEmpty()) {
      throw new LocatorException("There are no nodes to locate keys on; give at least one");
    }
    if (all.size() > MAX_NODES) {
      throw new LocatorException(
          all.size() + " nodes are too many; give at most " + MAX_NODES + " to one locator");
    }
    Set<String> names = new HashSet<>();
    for (LocatorNode node : all) {
      if (!names.add(node.name())) {
        throw new LocatorException(
            "Node " + node.name() + " is there twice; give every node a name of its own");
      }
    }
  }

  public int size() {
    return all.size();
  }

  public String name(int place) {
    return all.get(place).name();
  }

  public double weight(int place) {
    return all.get(place).weight();
  }

  public double totalWeight() {
    return all.stream().mapToDouble(LocatorNode::weight).sum();
  }

  public boolean isUniform() {
    return all.stream().allMatch(node -> node.weight() == weight(0));
  }

  /**
   * The place of a node.
   *
   * @throws LocatorException if there is no node of this name
   */
  public int place(String name) {
    for (int place = 0; place < all.size(); place++) {
      if (name(place).equals(name)) {
        return place;
      }
    }
    throw new LocatorException(
        "There is no node %s among the %d nodes; give a name as the locator has it"
            .formatted(name, size()));
  }

  /** The same nodes and one more, at the last place. */
  public NodeList with(LocatorNode joined) {
    List<LocatorNode> nodes = new ArrayList<>(all);
    nodes.add(joined);
    return new NodeList(nodes);
  }

  /**
   * The same nodes without one; those behind it come forward by a place.
   *
   * @throws LocatorException if there is no node of this name, or no other
   */
  public NodeList without(String name) {
    int place = place(name);
    if (size() == 1) {
      throw new LocatorException(
          "Node " + name + " is the last one; add another node before you remove it");
    }
    List<LocatorNode> nodes = new ArrayList<>(all);
    nodes.remove(place);
    return new NodeList(nodes);
  }
}
