package dev.headrace.rebalance.publish;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.publish.DeltaLog.Step;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Counts votes. A quorum of some data nodes is more than half of them, or exactly half with the
 * oldest: any two quorums have a node in common.
 *
 * <p>A line of tables whose memberships differ needs a quorum of each, as joint consensus does
 * (Ongaro, Ousterhout 2014). A table that is unwritten needs nobody: nothing can be lost yet. The
 * first write itself needs every data node, so that none goes on as if there were no data.
 *
 * <p>Under {@link SplitPolicy#ALLOW} every part of a cluster counts as if the rest were gone.
 */
public final class Quorum {
  private final SplitPolicy policy;
  private final Set<NodeId> part;

  /**
   * Counts within a part of the cluster.
   *
   * @param part the nodes in reach
   */
  public Quorum(SplitPolicy policy, Collection<NodeId> part) {
    this.policy = policy;
    this.part = Set.copyOf(part);
  }

  /** Whether the part may go on with a table. */
  public boolean permits(SegmentTable table) {
    return !table.written() || isReached(table.dataNodes(), part::contains);
  }

  /** Whether the part may go on with a line of tables. */
  public boolean permits(Collection<Step> line) {
    return isReached(line, part::contains);
  }

  /** The data nodes of a table that are out of reach. */
  public List<Member> missing(SegmentTable table) {
    return table.members().stream()
        .filter(member -> member.holdsSegments() && !part.contains(member.id()))
        .toList();
  }

  /**
   * Whether enough nodes agree for a line of tables to go on: a quorum of every written one.
   *
   * @param line the tables from the one in force to the newest
   */
  public boolean isReached(Collection<Step> line, Predicate<NodeId> agrees) {
    List<NodeId> counted = List.of();
    for (Step step : line) {
      // Steps of one membership share the list.
      if (step.table().written() && step.voters() != counted) {
        counted = step.voters();
        if (!isReached(counted, agrees)) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Whether the last table of a line may be put in force.
   *
   * @param line the tables from the one in force, which is not counted twice, to that one
   * @param stored whether a node has stored that one or one that was made from it
   */
  public boolean putsInForce(List<Step> line, Predicate<NodeId> stored) {
    Step first = line.get(0);
    Step last = line.get(line.size() - 1);
    if (!first.table().written() && last.table().written()) {
      return counting(last.voters()).stream().allMatch(stored) && isReached(line, stored);
    }
    return isReached(line, stored);
  }

  /**
   * The latest point in time at which a quorum of a table's data nodes is known to have been with
   * somebody.
   *
   * @param since the latest such point of each node, {@link MemberProgress#NEVER} if there is none
   */
  public long sinceNanos(SegmentTable table, ToLongFunction<NodeId> since) {
    List<NodeId> known =
        new ArrayList<>(
            counting(table.dataNodes()).stream()
                .filter(id -> since.applyAsLong(id) != MemberProgress.NEVER)
                .toList());
    if (known.isEmpty()) {
      return MemberProgress.NEVER;
    }
    long reference = since.applyAsLong(known.get(0));
    known.sort(
        Comparator.comparingLong((NodeId id) -> since.applyAsLong(id) - reference).reversed());
    Set<NodeId> agreeing = new HashSet<>();
    for (NodeId id : known) {
      agreeing.add(id);
      if (isReached(table.dataNodes(), agreeing::contains)) {
        return since.applyAsLong(id);
      }
    }
    return MemberProgress.NEVER;
  }

  /**
   * Whether enough of some data nodes agree.
   *
   * @param voters the oldest first
   */
  public boolean isReached(List<NodeId> voters, Predicate<NodeId> agrees) {
    List<NodeId> counting = counting(voters);
    long votes = counting.stream().filter(agrees).count();
    boolean half = votes * 2 == counting.size();
    return votes * 2 > counting.size()
        || (half && (counting.isEmpty() || agrees.test(counting.get(0))));
  }

  private List<NodeId> counting(List<NodeId> voters) {
    return policy == SplitPolicy.ALLOW ? voters.stream().filter(part::contains).toList() : voters;
  }
}
