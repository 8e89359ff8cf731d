package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.Appended;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.agreement.ControlMessage.RangeStamps;
import dev.headrace.rebalance.publish.DeltaLog;
import dev.headrace.rebalance.publish.DeltaLog.Step;
import dev.headrace.rebalance.publish.MemberProgress;
import dev.headrace.rebalance.publish.Quorum;
import dev.headrace.rebalance.publish.StampSearch;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Brings a coordinator's line of tables to the members: each delta once, in batches, one under way
 * per member; an image to who is too far behind. Grants leases, and looks for tables that differ.
 */
final class Publishing {

  /** How many bytes of deltas a message holds, unless a single one is larger. */
  static final int MAX_BATCH_BYTES = 64 << 10;

  /** How often a member's differing segments are set right before it gets an image. */
  private static final int MAX_REPAIRS = 3;

  private final AgreementSettings settings;
  private final MemberView view;
  private final Acceptor own;
  private final AgreementEffects effects;
  private final Map<NodeId, MemberProgress> positions = new LinkedHashMap<>();
  private final Map<NodeId, StampSearch> searches = new HashMap<>();
  private final Map<NodeId, Integer> repairs = new HashMap<>();
  private Quorum quorum;
  private long quorumNanos = MemberProgress.NEVER;

  Publishing(
      AgreementSettings settings,
      MemberView view,
      Acceptor own,
      Quorum quorum,
      AgreementEffects effects) {
    this.settings = settings;
    this.view = view;
    this.own = own;
    this.quorum = quorum;
    this.effects = effects;
  }

  /** From now on a member is published to, too; nothing happens if it is already. */
  void add(NodeId member, Hello hello) {
    TableHeader inForce = hello.inForce();
    long installed = inForce == null ? -1 : inForce.epoch();
    positions.putIfAbsent(member, new MemberProgress(ViewSummary.epochAtEntry(hello), installed));
  }

  /** From now on only some are published to: the others may follow another coordinator. */
  void retain(Collection<NodeId> members) {
    positions.keySet().retainAll(members);
    searches.keySet().retainAll(members);
  }

  /** From now on others are in reach. */
  void count(Quorum others) {
    quorum = others;
  }

  boolean hasPromised(NodeId id, long ballot) {
    MemberProgress position = positions.get(id);
    return isSelf(id) || (position != null && position.promisedBallot() == ballot);
  }

  /** Whether a member has stored the table of an epoch of the line, or one made from it. */
  boolean hasStored(NodeId id, long epoch) {
    MemberProgress position = positions.get(id);
    return isSelf(id)
        || (position != null
            && position.storedEpoch() >= epoch
            && own.log().has(position.storedEpoch()));
  }

  boolean isHeard(NodeId id, long nowNanos) {
    long since = heardNanos(id);
    return isSelf(id)
        || (since != MemberProgress.NEVER && nowNanos - since < 2 * settings.leaseNanos());
  }

  /**
   * As {@link #heardNanos(NodeId)}, of those that have stored a table; the others are with this
   * node, but do not hear from it that the table is in force.
   */
  private long heardNanos(NodeId id, long storedEpoch) {
    return hasStored(id, storedEpoch) ? heardNanos(id) : MemberProgress.NEVER;
  }

  private long heardNanos(NodeId id) {
    MemberProgress position = positions.get(id);
    return position == null ? MemberProgress.NEVER : position.answeredSinceNanos();
  }

  boolean hasInstalled(NodeId id, long epoch) {
    return installedEpoch(id) >= epoch;
  }

  private long installedEpoch(NodeId id) {
    MemberProgress position = positions.get(id);
    return position == null ? -1 : position.installedEpoch();
  }

  /** The epochs of the tables that members have stored last, this node's included. */
  List<Long> storedEpochs() {
    List<Long> epochs = new ArrayList<>();
    epochs.add(own.log().newestEpoch());
    positions.values().stream().map(MemberProgress::storedEpoch).forEach(epochs::add);
    return epochs;
  }

  /**
   * The oldest epoch that is in force at any member of a table that stays, -1 if that is not known
   * of one. Who only joins has nothing that an older table could have told it.
   */
  long oldestInstalledEpoch(SegmentTable table, Collection<Member> staying) {
    long oldest = own.inForceEpoch();
    for (Member member : staying) {
      if (table.member(member.id()) != null && !isSelf(member.id())) {
        long installed = installedEpoch(member.id());
        oldest = Math.min(oldest, own.log().has(installed) ? installed : -1);
      }
    }
    return oldest;
  }

  /** Claims a ballot: asks everybody to promise it. */
  void claim(long ballot, long nowNanos) {
    positions.keySet().forEach(id -> send(id, ballot, null, List.of(), nowNanos));
  }

  /** Sends what is new to those to whom nothing is under way. */
  void publish(long ballot, long nowNanos) {
    positions.keySet().forEach(id -> publish(id, ballot, false, nowNanos));
  }

  /** Sends to everybody, whether or not there is something new. */
  void beat(long ballot, long nowNanos) {
    countQuorum(ballot, nowNanos);
    positions.keySet().forEach(id -> publish(id, ballot, true, nowNanos));
  }

  /** A member has answered; what it stored counts from now on. */
  void answered(NodeId from, Appended answer, long nowNanos) {
    MemberProgress position = positions.get(from);
    if (position == null) {
      return;
    }
    position.answered(
        answer.promisedBallot(),
        answer.storedEpoch(),
        answer.installedEpoch(),
        answer.askedNanos(),
        answer.sentNanos());
    if (!hasQuorum(nowNanos)) {
      countQuorum(answer.promisedBallot(), nowNanos);
    }
    SegmentTable same = own.log().table(answer.storedEpoch());
    if (same == null) {
      return;
    }
    if (same.stamp() == answer.stamp()) {
      searches.remove(from);
    } else {
      search(from, same, nowNanos);
    }
  }

  /**
   * A member has told stamps of its table.
   *
   * @return the segments in which it differs; empty if it gets an image; null if there is nothing
   *     to do for now
   */
  @Nullable List<Integer> told(NodeId from, RangeStamps told, long nowNanos) {
    StampSearch search = searches.get(from);
    SegmentTable same = own.log().table(told.epoch());
    if (search == null || same == null || !search.asks(told.from(), told.to())) {
      return null;
    }
    StampSearch.Finding finding = search.compare(same, told.stamps());
    boolean sameMembers = told.membersStamp() == same.membersStamp();
    if (sameMembers && finding == StampSearch.Finding.NARROWED) {
      ask(from, search);
      return null;
    }
    searches.remove(from);
    List<Integer> segments = sameMembers ? search.segments(same, told.stamps()) : List.of();
    if (repairs.merge(from, 1, Integer::sum) > MAX_REPAIRS || segments.isEmpty()) {
      repairs.remove(from);
      Objects.requireNonNull(positions.get(from)).needImage();
    }
    return segments;
  }

  boolean hasQuorum(long nowNanos) {
    return quorumNanos != MemberProgress.NEVER && nowNanos - quorumNanos < settings.leaseNanos();
  }

  private void countQuorum(long ballot, long nowNanos) {
    SegmentTable inForce = own.inForce();
    if (inForce == null) {
      return;
    }
    quorumNanos =
        quorum.sinceNanos(inForce, id -> isSelf(id) ? nowNanos : heardNanos(id, inForce.epoch()));
    if (grants(ballot, nowNanos)) {
      own.extendLease(quorumNanos, own.inForceEpoch());
    }
  }

  private void publish(NodeId id, long ballot, boolean beats, long nowNanos) {
    MemberProgress position = Objects.requireNonNull(positions.get(id));
    StampSearch search = searches.get(id);
    boolean busy =
        position.inFlight(nowNanos, settings.resendNanos())
            || (search != null && !search.isLost(nowNanos, settings.resendNanos()));
    DeltaLog log = own.log();
    SegmentTable image = null;
    List<TableDelta> deltas = List.of();
    if (!busy && needsImage(position, log)) {
      image = log.table(own.inForceEpoch());
      deltas = log.after(own.inForceEpoch()).stream().map(Step::delta).toList();
    } else if (!busy) {
      deltas = log.deltasAfter(position.storedEpoch(), MAX_BATCH_BYTES);
    }
    boolean news = image != null || !deltas.isEmpty() || !position.wasTold(tellable(id, position));
    if (beats || (news && !busy)) {
      send(id, ballot, image, deltas, nowNanos);
    }
  }

  private boolean needsImage(MemberProgress position, DeltaLog log) {
    boolean isBehind = log.newestEpoch() > position.storedEpoch();
    return position.needsImage()
        || !log.has(position.storedEpoch())
        || (settings.publishesImages() && isBehind);
  }

  private void send(
      NodeId id,
      long ballot,
      @Nullable SegmentTable image,
      List<TableDelta> deltas,
      long nowNanos) {
    MemberProgress position = Objects.requireNonNull(positions.get(id));
    long known = own.log().has(position.storedEpoch()) ? position.storedEpoch() : -1;
    long inForce = tellable(id, position);
    boolean leases = inForce == own.inForceEpoch() && grants(ballot, nowNanos);
    long askedNanos = position.asking(nowNanos);
    Append append =
        new Append(
            view.mark(),
            ballot,
            askedNanos,
            leases ? position.echoNanos() : MemberProgress.NEVER,
            own.log().newestEpoch(),
            inForce,
            known,
            image,
            deltas);
    if (image != null || !deltas.isEmpty()) {
      position.sent(append.lastEpoch(), askedNanos);
    }
    position.told(inForce);
    effects.send(id, append);
  }

  /**
   * What a member is told to be in force. Who is out of the table leaves when it hears so, and its
   * vote with it: that the table is in force, and asks for none, must be known by then to a quorum
   * of those that stay.
   */
  private long tellable(NodeId id, MemberProgress position) {
    SegmentTable inForce = own.inForce();
    if (inForce == null || !inForce.written() || inForce.member(id) != null || isKnown(inForce)) {
      return own.inForceEpoch();
    }
    SegmentTable its = own.log().table(position.installedEpoch());
    return its == null || its.member(id) == null ? own.inForceEpoch() : its.epoch();
  }

  private boolean isKnown(SegmentTable inForce) {
    List<NodeId> voters = inForce.dataNodes();
    return voters.isEmpty()
        || quorum.isReached(voters, id -> isSelf(id) || hasInstalled(id, inForce.epoch()));
  }

  /**
   * Whether leases may be granted: a quorum is with this coordinator, and it knows what is in
   * force, since something of its own ballot is.
   */
  private boolean grants(long ballot, long nowNanos) {
    return hasQuorum(nowNanos) && Epoch.ballot(own.inForceEpoch()) == ballot;
  }

  private void search(NodeId id, SegmentTable table, long nowNanos) {
    StampSearch present = searches.get(id);
    if (present == null || present.isLost(nowNanos, settings.resendNanos())) {
      StampSearch search = new StampSearch(table, nowNanos);
      searches.put(id, search);
      ask(id, search);
    }
  }

  private void ask(NodeId id, StampSearch search) {
    effects.send(id, new RangeStamps(view.mark(), -1, 0, search.from(), search.to(), List.of()));
  }

  private boolean isSelf(NodeId id) {
    return id.equals(settings.self().id());
  }
}
