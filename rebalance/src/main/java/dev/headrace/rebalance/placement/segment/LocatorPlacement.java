package dev.headrace.rebalance.placement.segment;

import dev.headrace.api.error.LocatorException;
import dev.headrace.rebalance.placement.FairShares;
import dev.headrace.rebalance.placement.NodeNames;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.hash.Mixing;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeLocator;
import dev.headrace.rebalance.table.Member;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Places segments by any locator: the owners of a segment are the first nodes of its preference
 * that the zones allow.
 *
 * <p>With a bound no node gets more than its share times the bound: what does not fit goes to the
 * next in the order of preference, so that segments fall over only from full nodes.
 *
 * <p>Source of the bound: Mirrokni, Thorup and Zadimoghaddam, "Consistent hashing with bounded
 * loads", SODA 2018.
 */
public final class LocatorPlacement implements Placement {
  /** The bound of a placement that has none. */
  public static final double UNBOUNDED = Double.POSITIVE_INFINITY;

  private static final int FIRST_ASKED = 8; // how many nodes of a preference are asked for first

  private final Function<List<LocatorNode>, NodeLocator> locators;
  private final double bound;

  /**
   * A placement by locators of one kind.
   *
   * @param locators makes the locator of some nodes, such as {@code LocatorKind.MAGLEV::locator}
   * @param bound the most that a node gets, as a multiple of its share: at least 1, or {@link
   *     #UNBOUNDED}
   * @throws LocatorException if the bound is less than 1
   */
  public LocatorPlacement(Function<List<LocatorNode>, NodeLocator> locators, double bound) {
    if (!(bound >= 1)) {
      throw new LocatorException(
          "The bound is " + bound + " times a node's share; give at least 1, such as 1.25");
    }
    this.locators = locators;
    this.bound = bound;
  }

  @Override
  public int[][] place(int segments, int owners, List<Member> members) {
    return Placement.onHolders(segments, members, nodes -> placed(segments, owners, nodes));
  }

  private int[][] placed(int segments, int owners, List<Member> nodes) {
    List<String> names = NodeNames.of(nodes);
    NodeLocator locator =
        locators.apply(
            IntStream.range(0, nodes.size())
                .mapToObj(node -> new LocatorNode(names.get(node), nodes.get(node).capacity()))
                .toList());
    int[][] rows = new int[segments][];
    BoundedRows filling = new BoundedRows(new FairShares(nodes, segments, owners), bound);
    for (int segment = 0; segment < segments; segment++) {
      rows[segment] = row(locator, Mixing.successor(0, segment + 1), filling);
      filling.take(rows[segment]);
    }
    return rows;
  }

  /** Asks for more and more nodes, since the first ones are nearly always enough. */
  private static int[] row(NodeLocator locator, long hash, BoundedRows filling) {
    int nodes = locator.nodes().size();
    int asked = Math.min(FIRST_ASKED, nodes);
    int[] row = row(locator, hash, filling, asked);
    while (row.length < filling.owners() && asked < nodes) {
      asked = Math.min(2 * asked, nodes);
      row = row(locator, hash, filling, asked);
    }
    if (row.length < filling.owners()) {
      throw new LocatorException(
          ("The locator names fewer nodes for a segment than the %d owners that it should have;"
                  + " place with a kind that names all nodes")
              .formatted(filling.owners()));
    }
    return row;
  }

  private static int[] row(NodeLocator locator, long hash, BoundedRows filling, int asked) {
    int[] preference = new int[asked];
    int found = locator.locate(hash, preference);
    boolean more = asked < locator.nodes().size();
    return filling.row(Arrays.copyOf(preference, found), more);
  }
}
