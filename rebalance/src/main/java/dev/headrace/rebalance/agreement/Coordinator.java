package dev.headrace.rebalance.agreement;

import dev.headrace.api.error.LocatorException;
import dev.headrace.api.error.PlacementException;
import dev.headrace.rebalance.agreement.ControlMessage.Appended;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.agreement.ControlMessage.RangeRepair;
import dev.headrace.rebalance.agreement.ControlMessage.RangeStamps;
import dev.headrace.rebalance.publish.DeltaLog;
import dev.headrace.rebalance.publish.DeltaLog.Step;
import dev.headrace.rebalance.publish.MemberProgress;
import dev.headrace.rebalance.publish.OwnerVotes;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.publish.Quorum;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the coordinator of a view does while the view lasts: it claims a ballot, builds on the
 * newest table that anybody in the view has stored, and puts tables in force once quorums have
 * stored them. {@link TableAgreement} says why that is safe.
 *
 * <pre>
 * state      event            guard                          next      effects
 * ---------- ---------------- ------------------------------ --------- ---------------------------
 * (begin)                     own ballot usable, not outbid  claimed   the ballot of the last view
 * (begin)                     else                           idle
 * idle       advance          those in reach are a quorum,   claiming  next ballot promised here;
 *                             no claim for a resend period             append to all: the claim
 * claiming   answer           a quorum of each table in the  claimed   publishes what members lack
 *                             line promises the ballot
 * claiming,  answer, hello    promises a newer ballot        idle      the next claim is above it
 * claimed
 * claimed    advance          unwritten, members or ballot   claimed   all segments placed anew;
 *                             have changed                             in force here at once
 * claimed    advance          unwritten, a first write waits claimed   first write appended
 * claimed    advance          written, members or ballot     claimed   step of membership appended,
 *                             have changed                             without data nodes if the
 *                                                                      cluster has ended
 * claimed    advance          everything inherited is in     deciding  {@code coordinating(true)}
 *                             force under this ballot
 * deciding   advance          proposals wait, fewer than 256 deciding  their deltas appended
 *                             tables are not in force
 * deciding   advance          segments are given up          deciding  they begin anew
 * deciding   advance          all members, and who is        deciding  the table's version rises
 *                             absent, know a newer version
 *                             of the protocol
 * claimed,   answer           a quorum of each table and an  same      that table and all before
 * deciding                    owner of each given segment              are in force; all are told
 *                             have stored a table, and none
 *                             later gives back what it took
 * claimed,   advance          the ballot's epochs are used   idle
 * deciding                    up
 * </pre>
 *
 * <p>A ballot that a quorum has promised stays usable in later views, as long as nobody there has
 * promised a newer one.
 */
final class Coordinator {

  /** How many tables may be stored and not yet in force before proposals have to wait. */
  static final int MAX_PENDING_TABLES = 256;

  static final int MAX_PROPOSALS = 1024;

  private final AdmissionRules rules;
  private final Acceptor own;
  private final Publishing publishing;
  private final long inheritedEpoch;
  private final Queue<Proposal> proposals = new ArrayDeque<>();
  private final EmptyMembers empty = new EmptyMembers();
  private Quorum quorum;
  private AdmissionRules.Admission admission;
  private boolean permitted;
  private long ballot;
  private boolean claimed;
  private long outbidBallot;
  private long claimedNanos = MemberProgress.NEVER;
  private @Nullable String misplaced;

  Coordinator(
      AdmissionRules rules,
      Acceptor own,
      Quorum quorum,
      Publishing publishing,
      AdmissionRules.Admission admission) {
    this.rules = rules;
    this.own = own;
    this.quorum = quorum;
    this.publishing = publishing;
    this.admission = admission;
    addMembers();
    this.permitted = quorum.permits(own.line());
    this.inheritedEpoch = own.log().newestEpoch();
    long usable = own.usableBallot();
    long promised = Math.max(own.promisedBallot(), admission.summary().newestBallot());
    this.claimed = permitted && usable != 0 && promised <= usable;
    this.ballot = claimed ? usable : 0;
  }

  /**
   * More of the view have greeted. A ballot that one of them outbids is claimed anew: it would take
   * nothing under this one.
   */
  void admit(AdmissionRules.Admission all, Quorum reach) {
    admission = all;
    quorum = reach;
    publishing.count(reach);
    addMembers();
    permitted = quorum.permits(own.line());
    if (all.summary().newestBallot() > ballot) {
      outbid(all.summary().newestBallot());
    }
  }

  private void addMembers() {
    Set<NodeId> taken = admission.nodes();
    publishing.retain(taken);
    for (Hello hello : admission.summary().hellos()) {
      NodeId id = hello.member().id();
      if (taken.contains(id) && !id.equals(rules.self())) {
        publishing.add(id, hello);
      }
    }
  }

  /** Somebody has promised a newer ballot, and takes nothing under this one any more. */
  private void outbid(long promised) {
    if (promised > ballot) {
      outbidBallot = Math.max(outbidBallot, promised);
      claimed = false;
      ballot = 0;
    }
  }

  Map<NodeId, String> refusals() {
    return admission.refusals();
  }

  /**
   * Whether everything that was decided before this node led is in force under its own ballot. Who
   * coordinates two views one after the other keeps its ballot: what it decided in the first may
   * still have to come into force in the second, and nobody may plan without it.
   */
  boolean isDeciding() {
    return claimed
        && Epoch.ballot(own.inForceEpoch()) == ballot
        && own.inForceEpoch() >= inheritedEpoch;
  }

  /** Why the segments could not be placed for the present members; null if they could. */
  @Nullable String misplaced() {
    return misplaced;
  }

  boolean hasInstalled(NodeId member, long epoch) {
    return publishing.hasInstalled(member, epoch);
  }

  /** Takes a proposal, unless too many wait already. */
  boolean propose(Proposal proposal) {
    return isDeciding() && proposals.size() < MAX_PROPOSALS && proposals.add(proposal);
  }

  void answered(NodeId from, Appended answer, long nowNanos) {
    if (ballot != 0 && answer.promisedBallot() > ballot) {
      outbid(answer.promisedBallot());
    } else {
      publishing.answered(from, answer, nowNanos);
    }
  }

  /** A member has told stamps of its table, which differs. */
  @Nullable RangeRepair told(NodeId from, RangeStamps stamps, long nowNanos) {
    List<Integer> segments = publishing.told(from, stamps, nowNanos);
    if (segments == null) {
      return null;
    }
    SegmentTable table = Objects.requireNonNull(own.log().table(stamps.epoch()));
    // What a member has set right comes into force there with the next table.
    proposals.add((newest, epoch) -> newest.edit(epoch).delta());
    return segments.isEmpty()
        ? null
        : new RangeRepair(
            stamps.viewMark(), table.slice(segments.get(0), segments.get(segments.size() - 1) + 1));
  }

  boolean hasQuorum(long nowNanos) {
    return claimed && publishing.hasQuorum(nowNanos);
  }

  /** Tells everybody that this node is there. */
  void beat(long nowNanos) {
    if (claimed) {
      publishing.beat(ballot, nowNanos);
    } else if (ballot != 0) {
      publishing.claim(ballot, nowNanos);
    }
  }

  /**
   * Does what is due.
   *
   * @param firstWriteWanted whether somebody wants to write, and may
   */
  void advance(boolean firstWriteWanted, PendingRequests requests, long nowNanos) {
    DeltaLog log = own.log();
    if (claimed && log.newestEpoch() > ballot && Epoch.isLastOfBallot(log.newestEpoch())) {
      claimed = false;
      ballot = 0;
    }
    if (!claimed && !claim(nowNanos)) {
      return;
    }
    SegmentTable newest = log.newest();
    if (newest == null || !newest.written()) {
      place(newest, firstWriteWanted, requests.leaving);
    } else {
      change(newest, requests, nowNanos);
    }
    putInForce();
    publishing.publish(ballot, nowNanos);
  }

  private boolean claim(long nowNanos) {
    if (!permitted) {
      return false;
    }
    boolean first = ballot == 0;
    if (first) {
      long period = rules.settings().resendNanos();
      if (claimedNanos != MemberProgress.NEVER && nowNanos - claimedNanos < period) {
        return false; // two that outbid each other must leave each other time
      }
      claimedNanos = nowNanos;
      long newest = Math.max(own.promisedBallot(), admission.summary().newestBallot());
      ballot = Epoch.ballotAfter(Math.max(newest, outbidBallot), rules.self());
      own.promise(ballot);
    }
    claimed = quorum.isReached(own.line(), id -> publishing.hasPromised(id, ballot));
    if (claimed) {
      own.use(ballot);
    } else if (first) {
      publishing.claim(ballot, nowNanos);
    }
    return claimed;
  }

  /** Before the first write there is nothing to lose: a table is in force as soon as it is made. */
  private void place(
      @Nullable SegmentTable newest, boolean firstWriteWanted, LeavingNodes leaving) {
    List<Member> members = AdmissionRules.inOrder(newest, wanted(newest, leaving));
    boolean same =
        newest != null
            && newest.members().equals(members)
            && Epoch.ballot(newest.epoch()) == ballot;
    SegmentTable table = newest;
    if (table == null || !same) {
      TableHeader header = table == null ? admission.origin() : table.header();
      int protocol = AdmissionRules.protocol(members.stream());
      table = placed(newest, header.at(nextEpoch()).speaking(protocol), members);
      if (table == null) {
        return;
      }
      own.begin(table);
    }
    if (firstWriteWanted && table.members().stream().anyMatch(Member::holdsSegments)) {
      own.log().append(rules.firstWrite(table, nextEpoch()));
    }
  }

  /** The next table of a cluster without data; null if it has none that could be kept instead. */
  private @Nullable SegmentTable placed(
      @Nullable SegmentTable newest, TableHeader header, List<Member> members) {
    Set<NodeId> ids = members.stream().map(Member::id).collect(Collectors.toSet());
    long excludedAt =
        newest == null
            ? SegmentTable.NEVER
            : AdmissionRules.excludedAt(newest, admission.summary(), ids, header.epoch());
    try {
      misplaced = null;
      return rules.placed(header, members, excludedAt);
    } catch (PlacementException | LocatorException e) {
      misplaced = e.getMessage();
      return newest == null ? null : AdmissionRules.kept(newest, header, members, excludedAt);
    }
  }

  private void change(SegmentTable written, PendingRequests requests, long nowNanos) {
    LeavingNodes leaving = requests.leaving;
    empty.observe(written);
    SegmentTable newest = written;
    BrokenPairs pairs = requests.brokenPairs;
    pairs.decide(newest, admission.members(), id -> publishing.isHeard(id, nowNanos), nowNanos);
    List<Member> members =
        staying(newest, leaving, nowNanos).stream()
            .filter(member -> !pairs.aside().containsKey(member.id()))
            .toList();
    boolean same =
        newest.members().size() == members.size()
            && members.stream().allMatch(member -> written.member(member.id()) != null);
    if (!same || Epoch.ballot(newest.epoch()) != ballot) {
      long passed = publishing.oldestInstalledEpoch(newest, admission.members());
      List<Step> line = own.line();
      newest =
          append(
              rules.membership(
                  line, nextEpoch(), members, leaving::contains, passed, admission.summary()));
    }
    TableDelta over = isDeciding() ? requests.unowned.due(newest, nextEpoch(), nowNanos) : null;
    newest = over == null ? newest : append(over);
    TableDelta raised = isDeciding() ? raised(newest) : null;
    newest = raised == null ? newest : append(raised);
    while (!proposals.isEmpty()
        && own.log().after(own.inForceEpoch()).size() < MAX_PENDING_TABLES
        && !Epoch.isLastOfBallot(newest.epoch())) {
      TableDelta delta = proposals.remove().on(newest, nextEpoch());
      newest = delta == null ? newest : append(delta);
    }
  }

  /** The step to a newer version of the protocol; null if not everybody knows one. */
  private @Nullable TableDelta raised(SegmentTable newest) {
    int known =
        AdmissionRules.protocol(Stream.concat(newest.members().stream(), newest.absent().stream()));
    return known > newest.header().protocol() && !Epoch.isLastOfBallot(newest.epoch())
        ? newest.edit(nextEpoch()).speaking(known).delta()
        : null;
  }

  private SegmentTable append(TableDelta delta) {
    SegmentTable next = own.log().append(delta);
    empty.observe(next);
    return next;
  }

  /**
   * Who is to be a member of a written table. Nobody leaves as long as those that stay would be no
   * quorum of their own without it, because some of them do not answer: a table without it could
   * not come into force, and would bind those that are left if the silent ones are gone for good.
   *
   * <p>The last data nodes stay as long as somebody may come who could take over what they own, or
   * come back who is waited for. A table without data nodes has no voters: nothing could tell which
   * of two that follow it counts, so none with data nodes follows.
   */
  private List<Member> staying(SegmentTable newest, LeavingNodes leaving, long nowNanos) {
    List<Member> members = wanted(newest, leaving);
    List<Member> all = withLeavers(newest, leaving);
    if (members.size() == all.size()) {
      return members;
    }
    if (members.stream().noneMatch(Member::holdsSegments) && !mayEnd(newest, all)) {
      return all;
    }
    List<NodeId> voters =
        newest.dataNodes().stream()
            .filter(id -> members.stream().anyMatch(member -> member.id().equals(id)))
            .toList();
    boolean decide =
        quorum.isReached(
            voters,
            id -> publishing.hasStored(id, own.inForceEpoch()) && publishing.isHeard(id, nowNanos));
    return decide ? members : all;
  }

  /** Whether a cluster of whose data nodes all want to leave needs to wait for nobody else. */
  private boolean mayEnd(SegmentTable newest, List<Member> inView) {
    return admission.isComplete()
        && newest.absent().isEmpty()
        && newest.members().stream().filter(Member::holdsSegments).allMatch(inView::contains);
  }

  private List<Member> wanted(@Nullable SegmentTable table, LeavingNodes leaving) {
    if (table == null) {
      return admission.members().stream().filter(member -> !leaving.contains(member.id())).toList();
    }
    List<Member> all = withLeavers(table, leaving);
    return all.stream().filter(member -> !leaving.mayGo(table, member, all, empty)).toList();
  }

  /** Also those that want to leave, as far as they are members; they do not become any. */
  private List<Member> withLeavers(SegmentTable table, LeavingNodes leaving) {
    return admission.members().stream()
        .filter(member -> !table.hasEnded() || !member.holdsSegments())
        .filter(member -> !leaving.contains(member.id()) || table.member(member.id()) != null)
        .toList();
  }

  /** Puts in force the newest table of this ballot that enough data nodes have stored. */
  private void putInForce() {
    DeltaLog log = own.log();
    List<Long> candidates = new ArrayList<>(publishing.storedEpochs());
    candidates.removeIf(
        epoch -> epoch <= own.inForceEpoch() || Epoch.ballot(epoch) != ballot || !log.has(epoch));
    candidates.sort(Comparator.reverseOrder());
    for (long epoch : candidates) {
      List<Step> line = log.steps(own.inForceEpoch(), epoch);
      Predicate<NodeId> stored = id -> publishing.hasStored(id, epoch);
      Step last = line.get(line.size() - 1);
      if (quorum.putsInForce(line, stored)
          && OwnerVotes.suffice(line, stored)
          && !AdmissionRules.isPassedOver(last, log.after(epoch))) {
        own.putInForce(epoch);
        log.trim(own.inForceEpoch());
        return;
      }
    }
  }

  private long nextEpoch() {
    long newest = own.log().newestEpoch();
    return Epoch.ballot(newest) == ballot ? newest + 1 : ballot + 1;
  }
}
