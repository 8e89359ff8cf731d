package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.PastOwners;
import dev.headrace.replication.message.Standing;
import dev.headrace.replication.role.FormerOwners.FormerOwner;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everybody whom a new primary has to hear before it may trust what it has: the other owners, and
 * those who were owners before. Guarded by the lane.
 *
 * <p><b>The question.</b> A Raft leader is elected by a majority, which overlaps with every
 * majority that committed something; so whoever is elected has everything. Here the table names the
 * primary, whatever that has, and a write was acknowledged by all owners of its epoch. So the new
 * primary asks: is somebody left who has all that was acknowledged, and have I heard that one? And
 * further: can anybody still answer from what was before?
 *
 * <p><b>Who knows everything.</b> Each node that is asked tells its {@link Standing}. The easy case
 * is an owner that is in sync under the present owners: it has everything, and one is enough. The
 * other one begins with somebody who was in sync under earlier owners, or who has seen the very
 * first mutation or has heard of it, so that there was nothing before its term. From there it goes
 * through the rows of owners that followed, oldest first ({@link PastOwners}). A row is accounted
 * for if one of its owners is heard that has a copy now, since every owner had what was
 * acknowledged; or that says it had lost no copy as late as that, so that it never had one, and
 * nothing can have been acknowledged without it. An owner that had a copy and lost it proves
 * nothing. A row that is not accounted for does no harm if it cannot have served at all: its
 * primary would have had to hear one of the row before it, none of whom was in both, and all of
 * whom say that they have told nobody. If any other row is open, something may be missing.
 *
 * <p>An example. A and B own a segment, then B and C, then C and D. C and D are asked; D is new and
 * C says that it was in sync with B. Then C is enough, whatever became of A and B. If C had only
 * begun to learn, B has to be heard, too. If B is gone for good, nothing can have been acknowledged
 * in the time of B and C, for C had no copy; so A is enough in the place of B.
 *
 * <p><b>What is lost.</b> If all have been heard that can be, nobody knows everything, and somebody
 * knows that something was written, the segment is lost: the cluster decides, and it begins anew
 * under the next incarnation. If nobody knows of anything, it was never written. An owner of
 * nothing that does not know who owned the segment before must not begin it empty: it waits.
 *
 * <p><b>Former owners.</b> There is a second reason to hear them. A former owner that does not know
 * the newer table may go on to answer readers from what it has, as long as it has a lease; so
 * nothing newer may be acknowledged before it has said that it knows the table, or its lease must
 * have run out. Where there are no leases, a member is waited for until two seconds after it lost
 * the segment. Whoever is not needed for the history is waited for no longer than that; one that
 * may have what nobody else has, as long as it is a member.
 *
 * <p><b>Served terms.</b> Without a bound, each new primary would wait for all former owners of all
 * times. But a primary that served had settled this for everybody who was no owner any more in its
 * term. So everybody tells the newest term of which it knows that its primary served, of which each
 * mutation is proof, and who was excluded by then need not be heard again if the history is known.
 */
final class RecoverySet {
  /**
   * So many resend periods after it has lost the segment, a former owner that is still a member is
   * taken to know the table, also where there are no leases. Until then it is asked.
   */
  private static final int MEMBER_WAIT_RESENDS = 10;

  private final List<ReplicaProgress> otherOwners = new ArrayList<>(2);
  private final List<ReplicaProgress> formerProgress = new ArrayList<>(0);
  private final Set<NodeId> gone = new HashSet<>(0);
  private final List<FormerOwner> formerOwners;
  private List<PastOwners> formerRows;
  private final LaneSettings settings;
  private final boolean selfInSync;
  private final Standing self;
  private long servedTerm;

  /**
   * @param history what this node has
   */
  RecoverySet(MessageFactory messages, LaneContext around, SegmentHistory history, long nowNanos) {
    this.settings = around.settings();
    this.selfInSync = history.inSync();
    this.self = history.standing();
    this.servedTerm = history.servedTerm();
    SegmentTable table = messages.table();
    int segment = messages.segment();
    for (int index = 1; index < table.ownerCount(segment); index++) {
      otherOwners.add(ReplicaProgress.unknown(table.owner(segment, index), nowNanos));
    }
    formerOwners =
        around.formerOwners().of(segment).stream()
            .filter(former -> former.node() == null || !table.isOwner(segment, former.node()))
            .toList();
    formerRows = around.formerOwners().rows(segment);
    for (FormerOwner former : formerOwners) {
      NodeId node = former.node();
      if (node != null && table.member(node) != null) {
        formerProgress.add(ReplicaProgress.unknown(node, nowNanos));
      }
    }
  }

  /**
   * The table has changed, but not the owners. Former owners that have left serve nobody if they
   * have been heard, but what they had cannot be fetched any more.
   */
  void renew(SegmentTable newer) {
    for (ReplicaProgress former : List.copyOf(formerProgress)) {
      if (newer.member(former.node()) == null) {
        formerProgress.remove(former);
        if (former.heard()) {
          gone.add(former.node());
        }
      }
    }
  }

  /**
   * Former owners that were out of reach when the owners changed, and are members again. They have
   * to be heard, although they may not know that they have anything to tell.
   */
  List<ReplicaProgress> returned(SegmentTable newer, long nowNanos) {
    List<ReplicaProgress> back = new ArrayList<>(0);
    for (FormerOwner former : formerOwners) {
      NodeId node = former.node();
      if (node != null && newer.member(node) != null && !gone.contains(node) && any(node) == null) {
        ReplicaProgress returned = ReplicaProgress.unknown(node, nowNanos);
        formerProgress.add(returned);
        back.add(returned);
      }
    }
    return back;
  }

  /** The other owners. */
  List<ReplicaProgress> otherOwners() {
    return otherOwners;
  }

  /** Former owners that may still be asked. */
  List<ReplicaProgress> formerProgress() {
    return formerProgress;
  }

  @Nullable ReplicaProgress progress(NodeId node) {
    return find(otherOwners, node);
  }

  /** An owner or a former one. */
  @Nullable ReplicaProgress any(NodeId node) {
    ReplicaProgress progress = find(otherOwners, node);
    return progress == null ? find(formerProgress, node) : progress;
  }

  /**
   * A former owner that was out of reach when the owners changed is a member again, and may have
   * what nobody else has; null if the node never was an owner, as far as is known.
   */
  @Nullable ReplicaProgress back(NodeId node, SegmentTable table, long nowNanos) {
    boolean owned =
        formerOwners.stream().anyMatch(former -> node.equals(former.node()))
            || formerRows.stream().anyMatch(row -> row.owners().contains(node));
    if (!owned || table.member(node) == null) {
      return null;
    }
    gone.remove(node);
    ReplicaProgress back = ReplicaProgress.unknown(node, nowNanos);
    formerProgress.add(back);
    return back;
  }

  private static @Nullable ReplicaProgress find(List<ReplicaProgress> among, NodeId node) {
    for (ReplicaProgress one : among) {
      if (one.node().equals(node)) {
        return one;
      }
    }
    return null;
  }

  /** What a former owner was asked, or its answer, may be lost. */
  void disconnected(NodeId node, long nowNanos) {
    ReplicaProgress former = find(formerProgress, node);
    if (former != null) {
      former.goBack(nowNanos);
    }
  }

  /** Somebody says that a primary of a term served. */
  void served(long term) {
    servedTerm = Math.max(servedTerm, term);
  }

  /** Somebody with the present table tells who owned the segment before. */
  void learnRows(List<PastOwners> told) {
    if (!told.isEmpty() && (formerRows.isEmpty() || oldest(told) < oldest(formerRows))) {
      formerRows = told;
    }
  }

  private static long oldest(List<PastOwners> rows) {
    return rows.get(rows.size() - 1).epoch();
  }

  /** Whether every other owner has said that it has everything. */
  boolean allInSync() {
    for (ReplicaProgress progress : otherOwners) {
      if (!progress.inSync()) {
        return false;
      }
    }
    return true;
  }

  /** Whether nobody is left to wait for before the histories can be compared. */
  boolean complete(SegmentTable table, long nowNanos) {
    for (ReplicaProgress progress : otherOwners) {
      if (!progress.heard()) {
        return false;
      }
    }
    boolean enough = knowsEverything();
    if (!enough && otherOwners.isEmpty() && formerOwners.isEmpty()) {
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
   * or knows that there was something; to be asked when all have been heard.
   */
  boolean isLost() {
    return !knowsEverything() && heardStandings().anyMatch(Standing::content);
  }

  /** What everybody has said who was heard, this node included. */
  private Stream<Standing> heardStandings() {
    return Stream.concat(
        Stream.of(self),
        Stream.concat(otherOwners.stream(), formerProgress.stream())
            .filter(ReplicaProgress::heard)
            .map(ReplicaProgress::standing));
  }

  private boolean settled(FormerOwner former, boolean enough, SegmentTable table, long nowNanos) {
    NodeId node = former.node();
    ReplicaProgress heard = node == null ? null : find(formerProgress, node);
    if ((heard != null && heard.heard())
        || (node != null && gone.contains(node))
        || (enough && former.excludedAt() <= servedTerm)) {
      return true;
    }
    // One that may have what nobody else has is waited for until the cluster gives it up.
    boolean member = node != null && table.member(node) != null;
    boolean dispensable = enough || !member;
    long waitNanos = settings.leaseWaitNanos();
    if (member) {
      waitNanos = Math.max(waitNanos, MEMBER_WAIT_RESENDS * settings.resendNanos());
    }
    return dispensable && former.leaseOver(nowNanos, waitNanos);
  }

  /**
   * Whether those that have been heard have, together, all that was acknowledged: somebody had
   * everything, and somebody took part in all that was acknowledged after that one was an owner.
   */
  private boolean knowsEverything() {
    if (selfInSync || otherOwners.stream().anyMatch(one -> one.heard() && one.inSync())) {
      return true;
    }
    long inSyncUnder = heardStandings().mapToLong(Standing::inSyncUnder).max().orElse(0);
    long beganUnder = heardStandings().mapToLong(Standing::beganUnder).max().orElse(0);
    if (inSyncUnder == 0 && !reachBackTo(beganUnder)) {
      return false;
    }
    // From the owners of whom one had everything, or under whom nothing was written, to the last.
    long knownUnder = Math.max(inSyncUnder, beganUnder - 1);
    PastOwners known = null;
    for (int index = formerRows.size() - 1; index >= 0; index--) {
      PastOwners row = formerRows.get(index);
      if (row.epoch() <= knownUnder || isAccountedFor(row)) {
        known = row;
      } else if (known == null || !cannotHaveServed(row, known)) {
        return false;
      }
    }
    // If what was before is not known, who had everything then would not have it any more if
    // somebody had taken it over.
    return true;
  }

  /** Whether all owners since an epoch are known; there is none that begins at 0. */
  private boolean reachBackTo(long epoch) {
    return epoch > 0 && !formerRows.isEmpty() && oldest(formerRows) <= epoch;
  }

  /** Whether what was acknowledged under a row of owners, if anything was, cannot be lost. */
  private boolean isAccountedFor(PastOwners row) {
    for (NodeId owner : row.owners()) {
      ReplicaProgress one = any(owner);
      Standing says = one == null ? self : one.standing();
      if (isHeard(owner) && (says.copy() || says.lostUnder() < row.epoch())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the owners of a row can have acknowledged nothing: they had to hear one of those before
   * them, and all of these say that they have told nobody.
   */
  private boolean cannotHaveServed(PastOwners row, PastOwners before) {
    return before.owners().stream().noneMatch(row.owners()::contains)
        && before.owners().stream().allMatch(this::isHeard)
        && heardStandings().allMatch(standing -> standing.toldUnder() < row.epoch());
  }

  private boolean isHeard(NodeId owner) {
    ReplicaProgress one = any(owner);
    return owner.equals(settings.self()) || (one != null && one.heard());
  }

  /**
   * Those who have most, if that is more than a history that ends with this mutation: equally much,
   * but not all of them need have every mutation before it.
   */
  List<ReplicaProgress> ahead(long term, long sequence) {
    List<ReplicaProgress> best = new ArrayList<>(1);
    long bestTerm = term;
    long bestSequence = sequence;
    for (List<ReplicaProgress> group : List.of(otherOwners, formerProgress)) {
      for (ReplicaProgress one : group) {
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
