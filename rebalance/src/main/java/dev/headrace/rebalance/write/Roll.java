package dev.headrace.rebalance.write;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.write.FormerOwners.FormerOwner;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everybody whom a new primary has to hear: the other owners, and those who were owners before.
 * Guarded by the lane.
 *
 * <p>What was acknowledged under the last owners, each of them has that was whole. So one such
 * owner is enough for the history; but as long as any other may still answer readers from what it
 * has, nothing newer may be acknowledged: it has to say that it knows the present table, or must
 * have run out of its lease. A primary that served had settled that for everybody who was no owner
 * any more in its term, and the next one need not do it again.
 */
final class Roll {
  private final List<Follower> followers = new ArrayList<>(2);
  private final List<Follower> formers = new ArrayList<>(0);
  private final List<FormerOwner> formerOwners;
  private final LaneSettings settings;
  private final boolean selfWhole;
  private long servedTerm;

  /**
   * @param history what this node has; whole if it has everything that was acknowledged
   */
  Roll(Letters letters, Surroundings around, SegmentHistory history, long nowNanos) {
    this.settings = around.settings();
    this.selfWhole = history.whole();
    this.servedTerm = history.servedTerm();
    SegmentTable table = letters.table();
    int segment = letters.segment();
    for (int index = 1; index < table.ownerCount(segment); index++) {
      followers.add(new Follower(table.owner(segment, index), nowNanos));
    }
    formerOwners =
        around.formers().of(segment).stream()
            .filter(former -> former.node() == null || !table.isOwner(segment, former.node()))
            .toList();
    for (FormerOwner former : formerOwners) {
      NodeId node = former.node();
      if (node != null && table.member(node) != null) {
        formers.add(new Follower(node, nowNanos));
      }
    }
  }

  /** The other owners. */
  List<Follower> followers() {
    return followers;
  }

  /** Former owners that may still be asked. */
  List<Follower> formers() {
    return formers;
  }

  @Nullable Follower follower(NodeId node) {
    return find(followers, node);
  }

  /** An owner or a former one. */
  @Nullable Follower any(NodeId node) {
    Follower follower = find(followers, node);
    return follower == null ? find(formers, node) : follower;
  }

  private static @Nullable Follower find(List<Follower> among, NodeId node) {
    for (Follower one : among) {
      if (one.node().equals(node)) {
        return one;
      }
    }
    return null;
  }

  /** Somebody says that a primary of a term served. */
  void served(long term) {
    servedTerm = Math.max(servedTerm, term);
  }

  /** Whether nobody is left to wait for before the histories can be compared. */
  boolean complete(SegmentTable table, long nowNanos) {
    for (Follower follower : followers) {
      if (!follower.heard()) {
        return false;
      }
    }
    boolean enough = knowsEverything();
    if (!enough && followers.isEmpty() && formerOwners.isEmpty()) {
      // Nobody knows what this segment holds; an owner of nothing must not begin it empty.
      return false;
    }
    for (FormerOwner former : formerOwners) {
      if (!settled(former, enough, table, nowNanos)) {
        return false;
      }
    }
    return true;
  }

  private boolean settled(FormerOwner former, boolean enough, SegmentTable table, long nowNanos) {
    NodeId node = former.node();
    Follower heard = node == null ? null : find(formers, node);
    if ((heard != null && heard.heard()) || former.excludedAt() <= servedTerm) {
      return true;
    }
    // One that may have what nobody else has is waited for until the cluster gives it up.
    boolean dispensable = enough || node == null || table.member(node) == null;
    return dispensable && former.leaseOver(nowNanos, settings.leaseWaitNanos());
  }

  /** Whether somebody has been heard who has all that was acknowledged under the last owners. */
  private boolean knowsEverything() {
    if (selfWhole) {
      return true;
    }
    for (Follower follower : followers) {
      if (follower.heard() && follower.whole()) {
        return true;
      }
    }
    for (FormerOwner former : formerOwners) {
      NodeId node = former.node();
      Follower heard = node == null || !former.ofLastRow() ? null : find(formers, node);
      if (heard != null && heard.heard() && heard.whole()) {
        return true;
      }
    }
    return false;
  }

  /** Whoever has more than a history that ends with this mutation; null if nobody has. */
  @Nullable Follower ahead(long term, long sequence) {
    Follower best = null;
    long bestTerm = term;
    long bestSequence = sequence;
    for (List<Follower> group : List.of(followers, formers)) {
      for (Follower one : group) {
        boolean newer =
            one.term() > bestTerm
                || (one.term() == bestTerm && one.confirmedSequence() > bestSequence);
        if (one.heard() && newer) {
          best = one;
          bestTerm = one.term();
          bestSequence = one.confirmedSequence();
        }
      }
    }
    return best;
  }
}
