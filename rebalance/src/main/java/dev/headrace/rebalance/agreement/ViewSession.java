package dev.headrace.rebalance.agreement;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.AdmissionRules.Admission;
import dev.headrace.rebalance.agreement.ControlMessage.Appeal;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.Appended;
import dev.headrace.rebalance.agreement.ControlMessage.Ended;
import dev.headrace.rebalance.agreement.ControlMessage.GiveBack;
import dev.headrace.rebalance.agreement.ControlMessage.GiveUp;
import dev.headrace.rebalance.agreement.ControlMessage.Lost;
import dev.headrace.rebalance.agreement.ControlMessage.RangeRepair;
import dev.headrace.rebalance.agreement.ControlMessage.RangeStamps;
import dev.headrace.rebalance.agreement.ControlMessage.Refuse;
import dev.headrace.rebalance.agreement.ControlMessage.SetAside;
import dev.headrace.rebalance.agreement.ControlMessage.Stalled;
import dev.headrace.rebalance.agreement.ControlMessage.Unreachable;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.publish.MemberProgress;
import dev.headrace.rebalance.publish.Quorum;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What lasts as long as a view: who its coordinator is and, if it is this node, how it decides.
 * Begins when the node enters the view, before anybody there has greeted it.
 *
 * <p>Where data is held, those begin who are a quorum of the data nodes: at once if all data nodes
 * that they know in the view have greeted, else after a short while. Whoever greets later is taken
 * in then. So different nodes may find different coordinators for a moment; ballots tell who it is,
 * and the other one yields, unless a quorum is with it.
 *
 * <pre>
 * state        event          guard                          next          effects
 * ------------ -------------- ------------------------------ ------------- --------------------
 * unknown      hello, tick    all have greeted; or enough    coordinating, begins a Coordinator,
 *                             have, or it has taken long     or following  or sends its requests
 * unknown,     append         accepted                       following     answers
 * following
 * following    append         of another with a higher       following     none: this one still
 *                             ballot, and this node's lease                has its quorum
 *                             of the present one lasts
 * following    hello          all have greeted, and the      coordinating, as above
 *                             coordinator has said nothing   or following
 * coordinating hello          data, under DENY               coordinating  more are admitted
 * coordinating hello          else, and another has a newer  following     steps down
 *                             table
 * coordinating append         newer ballot, and no quorum    following     steps down, answers
 *                             has been here for a lease
 * any          view                                          (ends)        the next session begins
 * </pre>
 */
final class ViewSession {

  private final AdmissionRules rules;
  private final NodeId self;
  private final Acceptor own;
  private final HelloExchange hellos;
  private final PendingRequests requests;
  private final AgreementEffects effects;
  private final Set<NodeId> refused = new HashSet<>();
  private final Set<NodeId> toldAside = new HashSet<>();
  private Quorum quorum;
  private final long enteredNanos;

  private @Nullable NodeId coordinator;
  private @Nullable Coordinator coordinating;

  /** How many have greeted of those by which the coordinator was found. */
  private long considered = -1;

  /** Whether it was found when every part of the cluster was known. */
  private boolean knowsAll;

  private long askedNanos = MemberProgress.NEVER;

  /** When the coordinator last granted a lease here. */
  private long grantedNanos = MemberProgress.NEVER;

  /** Whether segments were reported as lost since the last tick. */
  private boolean lossReported;

  private boolean warned;
  private boolean compared;
  private @Nullable String yieldsBecause;

  ViewSession(
      AdmissionRules rules,
      Acceptor own,
      HelloExchange hellos,
      PendingRequests requests,
      AgreementEffects effects,
      long nowNanos) {
    this.rules = rules;
    this.self = rules.self();
    this.own = own;
    this.hellos = hellos;
    this.requests = requests;
    this.effects = effects;
    this.enteredNanos = nowNanos;
    this.quorum = new Quorum(rules.settings().split(), hellos.view().members());
  }

  // ---- What is so

  /** Of whom a quorum is needed; as long as nobody is known to be taken, of the whole view. */
  Quorum quorum() {
    return quorum;
  }

  /** Whether it is known which clusters with data have met in this view. */
  boolean hasCompared() {
    return compared;
  }

  /** Why another cluster that holds data goes on and this one must not; null if it may. */
  @Nullable String yieldsBecause() {
    return yieldsBecause;
  }

  /** Who decides, or null while that is not known. */
  @Nullable NodeId coordinator() {
    return coordinator;
  }

  /** The coordinator, if it is known and another node. */
  @Nullable NodeId otherCoordinator() {
    NodeId known = coordinator;
    return known == null || known.equals(self) ? null : known;
  }

  /** What this node does as the coordinator; null if it is not the coordinator. */
  @Nullable Coordinator coordinating() {
    return coordinating;
  }

  /**
   * Whether this node decides, is out of its own table, and the others have that in force: its data
   * nodes, which decide from then on, or everybody if there are none.
   */
  boolean handedOver() {
    SegmentTable present = own.installed();
    Coordinator coordinator = coordinating;
    if (coordinator == null || present == null || present.member(self) != null) {
      return false;
    }
    boolean decided = present.members().stream().anyMatch(Member::holdsSegments);
    return present.members().stream()
        .filter(member -> hellos.hasGreeted(member.id()))
        .filter(member -> member.holdsSegments() || !decided)
        .allMatch(member -> coordinator.hasInstalled(member.id(), present.epoch()));
  }

  // ---- As anybody

  /**
   * The coordinator has asked this node to store tables, or has said that it is there. If this node
   * thought to be the coordinator, it yields: it has promised the other a newer ballot.
   */
  void asked(NodeId by, Append append, long nowNanos) {
    stepDown();
    coordinator = by;
    askedNanos = append.askedNanos();
    if (append.echoNanos() != MemberProgress.NEVER) {
      grantedNanos = nowNanos;
    }
  }

  /** This node does not decide any more: whoever is in the view counts as in reach again. */
  private void stepDown() {
    if (coordinating != null) {
      coordinating = null;
      quorum = new Quorum(rules.settings().split(), hellos.view().members());
    }
  }

  /**
   * Whether somebody begins to decide although another one does and has a quorum: this node does
   * not help it (as in Raft, where servers that hear a coordinator ignore candidates).
   */
  boolean holdsToAnother(NodeId from, Append append, long nowNanos) {
    if (append.ballot() <= own.promisedBallot() || from.equals(coordinator)) {
      return false;
    }
    return coordinating == null
        ? grantedNanos != MemberProgress.NEVER
            && nowNanos - grantedNanos < rules.settings().leaseNanos()
        : coordinating.hasQuorum(nowNanos);
  }

  /** What this node says to the coordinator. */
  Appended answer(long nowNanos) {
    return own.answer(hellos.view().mark(), askedNanos, nowNanos);
  }

  /** What this node says to a coordinator whose ballot is over. */
  Appended refusal(long itsNanos, long nowNanos) {
    return own.answer(hellos.view().mark(), itsNanos, nowNanos);
  }

  /** Another member has a newer table in force. */
  void noticed(TableNotice notice, long nowNanos) {
    NodeId to = otherCoordinator();
    if (to == null || askedNanos == MemberProgress.NEVER) {
      return;
    }
    if (notice.epoch() > own.inForceEpoch() && !own.learn(notice, this::staysIn)) {
      effects.send(to, answer(nowNanos));
    }
  }

  /** Whether this node does not leave by a table: when it may leave, the coordinator says so. */
  private boolean staysIn(SegmentTable table) {
    return table.member(self) != null || !requests.leaving.contains(self);
  }

  /** Tells the coordinator what this node wants of it. */
  void sendRequests() {
    NodeId to = otherCoordinator();
    if (to != null) {
      requests.sendTo(to);
    }
  }

  /**
   * Grants an appeal, or takes it to the coordinator. Segments that are lost are decided on with
   * the next tick: those of a node that has crashed are reported one by one, and share a table
   * then.
   */
  void appeal(Appeal appeal, long nowNanos) {
    NodeId to = otherCoordinator();
    if (coordinating != null) {
      take(appeal, coordinating, nowNanos);
      if (appeal instanceof Lost) {
        lossReported = true;
      } else {
        advance(nowNanos);
      }
    } else if (to != null) {
      effects.send(to, appeal);
    }
  }

  private void take(Appeal appeal, Coordinator coordinator, long nowNanos) {
    if (appeal instanceof Lost lost) {
      requests.unowned.report(lost, nowNanos);
    } else if (appeal instanceof GiveUp up) {
      requests.unowned.giveUp(up.rows());
    } else if (appeal instanceof Ended ended) {
      requests.unowned.ended(ended.nodes());
    } else if (appeal instanceof GiveBack back) {
      coordinator.propose(back);
    }
  }

  /** A data node cannot reach others, which the coordinator has to know. */
  void unreachable(NodeId by, Unreachable message, long nowNanos) {
    NodeId to = otherCoordinator();
    if (coordinating != null) {
      requests.brokenPairs.report(by, Set.copyOf(message.nodes()), nowNanos);
      advance(nowNanos);
    } else if (to != null && by.equals(self)) {
      effects.send(to, message);
    }
  }

  /** Stamps over ranges have come: the coordinator's questions, or the answers to them. */
  void compared(NodeId from, RangeStamps stamps, long nowNanos) {
    SegmentTable stored = own.log().newest();
    if (coordinating != null && !stamps.stamps().isEmpty()) {
      RangeRepair repair = coordinating.told(from, stamps, nowNanos);
      if (repair != null) {
        effects.send(from, repair);
      }
      advance(nowNanos);
    } else if (stored != null && stamps.stamps().isEmpty() && stamps.to() <= stored.segments()) {
      effects.send(from, own.stamps(stamps));
    }
  }

  /** Time has passed. */
  void tick(long nowNanos) {
    if (lossReported) {
      lossReported = false;
      advance(nowNanos);
    }
  }

  /** What was sent may be lost. */
  void resend(long nowNanos) {
    refused.clear();
    toldAside.clear();
    sendRequests();
    advance(nowNanos);
  }

  // ---- As the coordinator

  void answered(NodeId from, Appended answer, long nowNanos) {
    if (coordinating != null) {
      coordinating.answered(from, answer, nowNanos);
      advance(nowNanos);
    }
  }

  /** Tells a newcomer why it gets no table. */
  void explain(NodeId newcomer) {
    SegmentTable inForce = own.installed();
    String reason = QuorumLoss.reason(own, quorum);
    if (coordinating != null && inForce != null && reason != null) {
      effects.send(newcomer, new Stalled(hellos.view().mark(), reason, inForce));
    }
  }

  /** Somebody has other data than was known when the coordinator was found. */
  void reconsider() {
    considered = -1;
  }

  /** Does what is due: finds the coordinator and, if it is this node, decides. */
  void advance(long nowNanos) {
    if (!hellos.haveView()) {
      return;
    }
    boolean knowsMore = !knowsAll && knowsParts(nowNanos);
    knowsAll |= knowsMore;
    if (coordinating != null && (considered != hellos.greeted() || knowsMore)) {
      consider();
    } else if (coordinating == null && isDue(nowNanos)) {
      consider();
    }
    Coordinator coordinator = coordinating;
    if (coordinator != null) {
      coordinator.advance(
          requests.wantsFirstWrite() && mayTakeFirstWrite(nowNanos), requests, nowNanos);
      coordinator.refusals().forEach(this::refuse);
      tellAside();
    }
  }

  private void tellAside() {
    Map<NodeId, String> now = requests.brokenPairs.aside();
    for (Map.Entry<NodeId, String> one : now.entrySet()) {
      if (toldAside.add(one.getKey()) && hellos.hasGreeted(one.getKey())) {
        effects.send(
            one.getKey(),
            new SetAside(hellos.view().mark(), own.log().newestEpoch(), one.getValue()));
      }
    }
  }

  /** Whether to look for a coordinator: none is known, or there is more to go by. */
  private boolean isDue(long nowNanos) {
    if (hellos.areComplete()) {
      return considered != hellos.greeted()
          && (coordinator == null || askedNanos == MemberProgress.NEVER);
    }
    return coordinator == null && mayBegin(nowNanos);
  }

  /** Whether those that have greeted may begin without the others. */
  private boolean mayBegin(long nowNanos) {
    AgreementSettings settings = rules.settings();
    SegmentTable newest = own.log().newest();
    long waitedNanos = nowNanos - enteredNanos;
    boolean divided = newest != null && newest.written() && settings.split() == SplitPolicy.ALLOW;
    if (newest == null || divided) {
      return waitedNanos >= settings.foundingNanos() || hellos.awaited(nowNanos).isEmpty();
    }
    Set<NodeId> silent = hellos.silent();
    List<NodeId> heard = hellos.heard();
    boolean known =
        newest.members().stream()
            .noneMatch(member -> member.holdsSegments() && silent.contains(member.id()));
    return (known || waitedNanos >= settings.helloNanos())
        && new Quorum(settings.split(), heard).permits(own.line());
  }

  /**
   * Whether the cluster may take its first write. Somebody in the view who has said nothing yet may
   * be of a part of it that has.
   */
  private boolean mayTakeFirstWrite(long nowNanos) {
    return hellos.awaited(nowNanos).isEmpty()
        || nowNanos - enteredNanos >= rules.settings().foundingNanos();
  }

  private void consider() {
    considered = hellos.greeted();
    boolean decides = coordinating != null && goesOn();
    ViewSummary summary = hellos.summary(decides ? members() : Set.of());
    warn(summary);
    compare(summary);
    NodeId found = decides || isAheadOf(summary) ? self : summary.coordinator();
    boolean isNew = coordinator == null || !coordinator.equals(found);
    coordinator = found;
    if (!self.equals(found)) {
      stepDown();
      if (isNew) {
        sendRequests();
      }
      return;
    }
    coordinate(summary);
  }

  /**
   * Whether this node decides, and who would decide by the hellos lacks what it has stored since:
   * nobody who has stored it, too, would take that one's tables.
   */
  private boolean isAheadOf(ViewSummary summary) {
    return coordinating != null
        && own.isAheadOf(summary.coordinatorsEpoch(), summary.coordinatorsFirstWrite());
  }

  /** Whether this node goes on rules whoever else comes: what it decides may be in force. */
  private boolean goesOn() {
    SegmentTable newest = own.log().newest();
    return rules.settings().split() == SplitPolicy.DENY && newest != null && newest.written();
  }

  /**
   * The members of the newest table and of those from the one in force on. A node that only the
   * newest lacks, such as a coordinator that leaves, still has a vote.
   */
  private Set<NodeId> members() {
    Set<NodeId> members = new HashSet<>();
    if (own.log().newest() != null) {
      own.line().stream()
          .map(step -> step.table().members())
          .distinct()
          .forEach(table -> table.forEach(member -> members.add(member.id())));
    }
    return members;
  }

  /**
   * Whether nobody in the view may be of another part of the cluster, to which those belong that
   * have nothing yet.
   */
  private boolean knowsParts(long nowNanos) {
    return nowNanos - enteredNanos >= rules.settings().foundingNanos()
        || members().containsAll(hellos.awaited(nowNanos));
  }

  /** This node decides for those that have greeted. */
  private void coordinate(ViewSummary summary) {
    putInForce(summary.newestInForce());
    Admission admission = rules.admit(summary, hellos.silent(), own.log(), own.inForceEpoch());
    if (!knowsAll) {
      admission = admission.only(members());
    }
    quorum = new Quorum(rules.settings().split(), admission.nodes());
    Coordinator coordinator = coordinating;
    if (coordinator == null) {
      Publishing publishing = new Publishing(rules.settings(), hellos.view(), own, quorum, effects);
      coordinating = new Coordinator(rules, own, quorum, publishing, admission);
    } else {
      coordinator.admit(admission, quorum);
    }
  }

  /** What is in force anywhere was decided, and needs no quorum of its members any more. */
  private void putInForce(long decided) {
    if (own.log().has(decided)) {
      own.putInForce(decided);
    }
  }

  private void refuse(NodeId node, String reason) {
    // A leaver that decides is out of its own table, and goes when the others have it in force.
    boolean leaves = node.equals(self) && requests.leaving.contains(self);
    if (!leaves && refused.add(node)) {
      effects.send(node, new Refuse(hellos.view().mark(), reason));
    }
  }

  /** Of clusters that hold data and have met only one goes on; whoever is silent may be of any. */
  private void compare(ViewSummary summary) {
    compared |= knowsAll || hellos.areComplete();
    yieldsBecause =
        !compared || summary.goesOn()
            ? null
            : "Reads, writes and streams are refused: another cluster \"%s\" with data was founded apart from this one and goes on, as it has more data nodes or, of equally many, the lower number of its first write. Their data cannot be merged: stop the nodes of one of the two. This one: %s; others: %s"
                .formatted(
                    rules.settings().terms().clusterName(), own.log().newest(), summary.foreign());
  }

  private void warn(ViewSummary summary) {
    if (!warned && !summary.foreign().isEmpty()) {
      warned = true;
      effects.warned(
          "Two clusters that both hold data have met, and only one goes on; stop one of them, its"
              + " data cannot be merged. This node: "
              + own.log().newest()
              + "; others: "
              + summary.foreign());
    }
  }
}
