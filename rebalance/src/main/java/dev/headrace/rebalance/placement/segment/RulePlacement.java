package dev.headrace.rebalance.placement.segment;

import dev.headrace.api.error.PlacementException;
import dev.headrace.api.placement.PlacementNode;
import dev.headrace.api.placement.PlacementRule;
import dev.headrace.rebalance.placement.FairShares;
import dev.headrace.rebalance.placement.NodeNames;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.table.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Places segments by a user's rule, of which every row is checked.
 *
 * <p>The rule is asked twice, since one that draws lots would have the cluster move segments for
 * ever: every plan would lead elsewhere.
 */
final class RulePlacement implements Placement {
  private final String name;
  private final PlacementRule rule;

  RulePlacement(String name, PlacementRule rule) {
    this.name = name;
    this.rule = rule;
  }

  @Override
  public int[][] place(int segments, int owners, List<Member> members) {
    return Placement.onHolders(segments, members, nodes -> placed(segments, owners, nodes));
  }

  private int[][] placed(int segments, int owners, List<Member> nodes) {
    FairShares shares = new FairShares(nodes, segments, owners);
    List<PlacementNode> seen = seen(nodes);
    int[][] rows = asked(segments, shares.owners(), seen);
    check(rows, segments, shares);
    if (!Arrays.deepEquals(rows, asked(segments, shares.owners(), seen))) {
      throw wrong(
          "gives other rows when it is asked again", "let it depend on nothing but its arguments");
    }
    return rows;
  }

  private static List<PlacementNode> seen(List<Member> nodes) {
    List<String> names = NodeNames.of(nodes);
    List<PlacementNode> seen = new ArrayList<>();
    for (int node = 0; node < names.size(); node++) {
      Member member = nodes.get(node);
      seen.add(
          new PlacementNode(
              new UUID(member.id().high(), member.id().low()),
              names.get(node),
              member.host() + ":" + member.dataPort(),
              member.capacity(),
              member.zone()));
    }
    return List.copyOf(seen);
  }

  private int[][] asked(int segments, int owners, List<PlacementNode> nodes) {
    int @Nullable [][] rows;
    try {
      rows = rule.place(segments, owners, nodes);
    } catch (RuntimeException e) {
      throw new PlacementException(text("fails: " + e, "see the cause"), e);
    }
    return copied(rows);
  }

  /** A copy that the rule cannot change any more, without nulls. */
  private static int[][] copied(int @Nullable [][] rows) {
    int[][] copy = new int[rows == null ? 0 : rows.length][];
    for (int segment = 0; segment < copy.length; segment++) {
      int @Nullable [] row = rows == null ? null : rows[segment];
      copy[segment] = row == null ? new int[0] : row.clone();
    }
    return copy;
  }

  private void check(int[][] rows, int segments, FairShares shares) {
    if (rows.length != segments) {
      throw wrong(
          "gives " + rows.length + " rows", "give one for each of " + segments + " segments");
    }
    for (int segment = 0; segment < segments; segment++) {
      check(rows[segment], segment, shares);
    }
  }

  private void check(int[] row, int segment, FairShares shares) {
    if (row.length != shares.owners()) {
      throw wrong(
          "gives segment " + segment + " the owners " + Arrays.toString(row),
          "give it exactly " + shares.owners());
    }
    int[] inZone = new int[shares.zones()];
    boolean[] taken = new boolean[shares.nodes()];
    for (int node : row) {
      if (node < 0 || node >= taken.length) {
        throw wrong(
            "gives segment " + segment + " to node " + node,
            "name nodes by their places in the list, 0 to " + (taken.length - 1));
      }
      if (taken[node]) {
        throw wrong(
            "gives segment " + segment + " to node " + node + " twice",
            "give it to different nodes");
      }
      taken[node] = true;
      if (++inZone[shares.zone(node)] > shares.ownersPerZone()) {
        throw wrong(
            "gives segment %d more than %d owners in a zone"
                .formatted(segment, shares.ownersPerZone()),
            "spread them over the zones, or start nodes without zones");
      }
    }
  }

  private PlacementException wrong(String what, String instead) {
    return new PlacementException(text(what, instead));
  }

  private String text(String what, String instead) {
    return "The placement rule \"" + name + "\" " + what + "; " + instead;
  }
}
