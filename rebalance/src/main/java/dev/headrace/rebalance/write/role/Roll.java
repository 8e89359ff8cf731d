package dev.headrace.rebalance.write.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.write.history.LaneSettings;
import dev.headrace.rebalance.write.history.Letters;
import dev.headrace.rebalance.write.history.SegmentHistory;
import dev.headrace.rebalance.write.role.FormerOwners.FormerOwner;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everybody whom a new primary has to hear: the other owners, and those who were owners before.
 * Guarded by the lane.
 *
 * <p>What was acknowledged under some owners, each of them has that was whole. So one such owner of
 * the last ones is enough for the history; or one of those before them, if an owner of each later
 * row is heard, too: what it has of the time of that row is complete, although it need not know
 * what was before. If there is nobody like that any more, what was acknowledged is lost.
 *
 * <p>As long as any former owner may still answer readers from what it has, nothing newer may be
 * acknowledged: it has to say that it knows the present table, or must have run out of its lease. A
 * primary that served had settled that for everybody who was no owner any more in its term, and the
 * next one need not do it again.
 */
final class Roll {
  private final List<Follower> followers = new ArrayList<>(2);
  private final List<Follower> formers = new ArrayList<>(0);
  private final List<FormerOwner> formerOwners;
  private final List<List<NodeId>> formerRows;
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
    formerRows = around.formers().rows(segment);
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

  /** Whether every other owner has said that it has everything. */
  boolean allWhole() {
    return followers.stream().allMatch(Follower::whole);
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

  /**
   * Whether nobody who is left has all that was acknowledged, although somebody has a part of it;
   * to be asked when all have been heard.
   *
   * @param sequence the last mutation that this node has
   */
  boolean isLost(long sequence) {
    if (knowsEverything()) {
      return false;
    }
    return sequence > 0
        || followers.stream().anyMatch(follower -> follower.confirmedSequence() > 0)
        || formers.stream().anyMatch(former -> former.confirmedSequence() > 0);
  }

  private boolean settled(FormerOwner former, boolean enough, SegmentTable table, long nowNanos) {
    NodeId node = former.node();
    Follower heard = node == null ? null : find(formers, node);
    if ((heard != null && heard.heard()) || (enough && former.excludedAt() <= servedTerm)) {
      return true;
    }
    // One that may have what nobody else has is waited for until the cluster gives it up.
    boolean dispensable = enough || node == null || table.member(node) == null;
    return dispensable && former.leaseOver(nowNanos, settings.leaseWaitNanos());
  }

  /**
   * Whether those that have been heard have, together, all that was acknowledged: somebody had
   * everything, and somebody took part in all that was acknowledged after that one was an owner.
   */
  private boolean knowsEverything() {
    if (selfWhole || followers.stream().anyMatch(one -> one.heard() && one.whole())) {
      return true;
    }
    for (List<NodeId> row : formerRows) {
      boolean tookPart = false;
      for (NodeId owner : row) {
        Follower one = any(owner);
        boolean heard = one != null && one.heard();
        if (one != null && heard && one.whole()) {
          return true;
        }
        tookPart |= heard || owner.equals(settings.self());
      }
      if (!tookPart) {
        return false;
      }
    }
    // What was before is not known; but who had everything then would not have it any more if
    // somebody had taken it over.
    return formers.stream().anyMatch(one -> one.heard() && one.whole());
  }

  /**
   * Those who have most, if that is more than a history that ends with this mutation: equally much,
   * but not all of them need have every mutation before it.
   */
  List<Follower> ahead(long term, long sequence) {
    List<Follower> best = new ArrayList<>(1);
    long bestTerm = term;
    long bestSequence = sequence;
    for (List<Follower> group : List.of(followers, formers)) {
      for (Follower one : group) {
        boolean newer =
            one.term() > bestTerm
                || (one.term() == bestTerm && one.confirmedSequence() > bestSequence);
        boolean same = one.term() == bestTerm && one.confirmedSequence() == bestSequence;
        if (one.heard() && newer) {
          best.clear();
          best.add(one);
          bestTerm = one.term();
          bestSequence = one.confirmedSequence();
        } else if (one.heard() && same && !best.isEmpty()) {
          best.add(one);
        }
      }
    }
    return best;
  }
}
