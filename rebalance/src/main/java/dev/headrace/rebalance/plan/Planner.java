package dev.headrace.rebalance.plan;

import dev.headrace.api.error.PlacementException;
import dev.headrace.rebalance.placement.FairShares;
import java.util.stream.IntStream;

/**
 * Plans who shall own which segment after nodes came, left or crashed, from who owns what.
 *
 * <p>Where a placement leads, its rows for the nodes that stay are what shall be, and what they
 * share with the present rows stays. Else in three parts. Replicas: level to within one where
 * capacities are equal, else in proportion to them; zones come first; with the fewest copies for
 * that. Primaries: level by changing roles within the rows, which copies nothing. Moves: in an
 * order and in steps that never lower the number of live replicas.
 *
 * <p>Segments that have lost all their owners get new ones, empty; their replicas are no copies.
 * Segments that wait for absent nodes stay as they are; the plan has room for them on all nodes.
 */
public final class Planner {
  /** Pairs of a segment and a node that searches look at before they count copies no more. */
  static final long BUDGET_STEPS = 100_000_000;

  private Planner() {}

  public static Plan keep(PlanInput input) {
    Situation now = new Situation(input);
    return new Plan(now.members, now.rows, now.rows, now.shuffled(), 0);
  }

  /**
   * Makes a plan. It is the same whenever and wherever it is made of the same input. If no member
   * can own segments, because all leave or have no capacity, the plan is empty: what there is stays
   * where it is.
   *
   * @throws PlacementException if the placement leads plans and cannot place the segments
   */
  public static Plan plan(PlanInput input) {
    return plan(input, BUDGET_STEPS);
  }

  static Plan plan(PlanInput input, long budgetSteps) {
    Situation now = new Situation(input);
    int[] order = now.shuffled();
    if (now.holders.length == 0) {
      return new Plan(now.members, now.rows, now.rows, order, 0);
    }
    if (input.placement().leadsPlans()) {
      return placed(now, input, order);
    }
    FairShares shares =
        new FairShares(now.holders(), now.segments(), input.table().configuredOwners());
    Assignment owners = Replicas.decide(now, shares, budgetSteps);
    int[] primaries = Primaries.choose(now, owners, shares);
    int[][] after = new int[now.segments()][];
    for (int segment = 0; segment < after.length; segment++) {
      after[segment] =
          now.waits(segment) ? now.rows[segment] : row(now, owners, segment, primaries[segment]);
    }
    return new Plan(now.members, now.rows, after, order, lowerBound(now, shares));
  }

  /** The plan that leads to the rows of the placement. */
  private static Plan placed(Situation now, PlanInput input, int[] order) {
    int[][] placed =
        input.placement().place(now.segments(), input.table().configuredOwners(), now.holders());
    int[][] after = new int[now.segments()][];
    int copies = 0;
    for (int segment = 0; segment < after.length; segment++) {
      int[] before = now.rows[segment];
      if (now.waits(segment)) {
        after[segment] = before;
        continue;
      }
      int[] row = IntStream.of(placed[segment]).map(node -> now.holders[node]).toArray();
      int missing = now.lost(segment) ? 0 : missing(before, row);
      // The order of backups means nothing but who comes next: it is worth no step of its own.
      boolean same = before.length == row.length && missing(before, row) == 0;
      after[segment] = same && row[0] == before[0] ? before : row;
      copies += missing;
    }
    return new Plan(now.members, now.rows, after, order, copies);
  }

  /** How many places of a row are not in another. */
  private static int missing(int[] before, int[] after) {
    return (int) IntStream.of(after).filter(place -> !Situation.contains(before, place)).count();
  }

  /** The primary, the owners that stay in their order, the new ones in the members' order. */
  private static int[] row(Situation now, Assignment owners, int segment, int primary) {
    IntStream stay = IntStream.of(now.stayers[segment]).filter(node -> owners.holds(segment, node));
    IntStream come =
        IntStream.range(0, owners.size(segment))
            .map(index -> owners.node(segment, index))
            .filter(node -> !now.stays(segment, node))
            .sorted();
    IntStream others = IntStream.concat(stay, come).filter(node -> node != primary);
    return IntStream.concat(IntStream.of(primary), others).map(node -> now.holders[node]).toArray();
  }

  private static int lowerBound(Situation now, FairShares shares) {
    int[] held = new int[shares.nodes()];
    int empty = 0;
    for (int segment = 0; segment < now.segments(); segment++) {
      for (int node : now.stayers[segment]) {
        held[node]++;
      }
      empty += now.lost(segment) ? shares.owners() : 0;
    }
    return Math.max(0, new Targets(shares, now.segments(), held).copies(held) - empty);
  }
}
