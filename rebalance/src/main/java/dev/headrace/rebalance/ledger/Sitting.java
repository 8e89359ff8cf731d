package dev.headrace.rebalance.ledger;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.ledger.ControlMessage.Appeal;
import dev.headrace.rebalance.ledger.ControlMessage.Append;
import dev.headrace.rebalance.ledger.ControlMessage.Appended;
import dev.headrace.rebalance.ledger.ControlMessage.Ended;
import dev.headrace.rebalance.ledger.ControlMessage.GiveBack;
import dev.headrace.rebalance.ledger.ControlMessage.GiveUp;
import dev.headrace.rebalance.ledger.ControlMessage.Lost;
import dev.headrace.rebalance.ledger.ControlMessage.RangeRepair;
import dev.headrace.rebalance.ledger.ControlMessage.RangeStamps;
import dev.headrace.rebalance.ledger.ControlMessage.Refuse;
import dev.headrace.rebalance.ledger.ControlMessage.SetAside;
import dev.headrace.rebalance.ledger.ControlMessage.Stalled;
import dev.headrace.rebalance.ledger.ControlMessage.Unreachable;
import dev.headrace.rebalance.ledger.Convener.Admission;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.publish.Position;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.publish.Quorum;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What lasts as long as a view: who its convener is and, if it is this node, how it decides. Begins
 * when the node enters the view, before anybody there has greeted it.
 *
 * <p>Where data is held, those begin who are a quorum of the data nodes: at once if all data nodes
 * that they know in the view have greeted, else after a short while. Whoever greets later is taken
 * in then. So different nodes may find different conveners for a moment; terms tell who it is, and
 * the other one yields, unless a quorum is with it.
 */
final class Sitting {

  private final Convener deciding;
  private final NodeId self;
  private final Acceptor own;
  private final Greetings greetings;
  private final Wishes wishes;
  private final LedgerEffects effects;
  private final Set<NodeId> refused = new HashSet<>();
  private final Set<NodeId> toldAside = new HashSet<>();
  private Quorum quorum;
  private final long enteredNanos;

  private @Nullable NodeId convener;
  private @Nullable Leader leader;

  /** How many have greeted of those by which the convener was found. */
  private long considered = -1;

  /** Whether it was found when every part of the cluster was known. */
  private boolean knowsAll;

  private long askedNanos = Position.NEVER;

  /** When the convener last granted a lease here. */
  private long grantedNanos = Position.NEVER;

  private boolean warned;
  private boolean compared;
  private @Nullable String yieldsBecause;

  Sitting(
      Convener deciding,
      Acceptor own,
      Greetings greetings,
      Wishes wishes,
      LedgerEffects effects,
      long nowNanos) {
    this.deciding = deciding;
    this.self = deciding.self();
    this.own = own;
    this.greetings = greetings;
    this.wishes = wishes;
    this.effects = effects;
    this.enteredNanos = nowNanos;
    this.quorum = new Quorum(deciding.settings().split(), greetings.view().members());
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
  @Nullable NodeId convener() {
    return convener;
  }

  /** The convener, if it is known and another node. */
  @Nullable NodeId otherConvener() {
    NodeId known = convener;
    return known == null || known.equals(self) ? null : known;
  }

  /** Whether this node is the convener. */
  boolean convenes() {
    return leader != null;
  }

  /** Whether this node takes proposals. */
  boolean isLeading() {
    return leader != null && leader.isLeading();
  }

  /** Why the convener, this node, cannot place the segments; null if it can. */
  @Nullable String misplaced() {
    return leader == null ? null : leader.misplaced();
  }

  /**
   * Whether this node decides, is out of its own table, and the others have that in force: its data
   * nodes, which decide from then on, or everybody if there are none.
   */
  boolean handedOver() {
    SegmentTable present = own.installed();
    Leader leads = leader;
    if (leads == null || present == null || present.member(self) != null) {
      return false;
    }
    boolean decided = present.members().stream().anyMatch(Member::holdsSegments);
    return present.members().stream()
        .filter(member -> greetings.hasGreeted(member.id()))
        .filter(member -> member.holdsSegments() || !decided)
        .allMatch(member -> leads.hasInstalled(member.id(), present.epoch()));
  }

  // ---- As anybody

  /**
   * The convener has asked this node to store tables, or has said that it is there. If this node
   * thought to be the convener, it yields: it has promised the other a newer term.
   */
  void asked(NodeId by, Append append, long nowNanos) {
    stepDown();
    convener = by;
    askedNanos = append.askedNanos();
    if (append.echoNanos() != Position.NEVER) {
      grantedNanos = nowNanos;
    }
  }

  /** This node does not decide any more: whoever is in the view counts as in reach again. */
  private void stepDown() {
    if (leader != null) {
      leader = null;
      quorum = new Quorum(deciding.settings().split(), greetings.view().members());
    }
  }

  /**
   * Whether somebody begins to decide although another one does and has a quorum: this node does
   * not help it (as in Raft, where servers that hear a leader ignore candidates).
   */
  boolean holdsToAnother(NodeId from, Append append, long nowNanos) {
    if (append.term() <= own.promisedTerm() || from.equals(convener)) {
      return false;
    }
    return leader == null
        ? grantedNanos != Position.NEVER
            && nowNanos - grantedNanos < deciding.settings().leaseNanos()
        : leader.hasQuorum(nowNanos);
  }

  /** What this node says to the convener. */
  Appended answer(long nowNanos) {
    return own.answer(greetings.view().mark(), askedNanos, nowNanos);
  }

  /** What this node says to a convener whose term is over. */
  Appended refusal(long itsNanos, long nowNanos) {
    return own.answer(greetings.view().mark(), itsNanos, nowNanos);
  }

  /** Another member has a newer table in force. */
  void noticed(TableNotice notice, long nowNanos) {
    NodeId to = otherConvener();
    if (to == null || askedNanos == Position.NEVER) {
      return;
    }
    if (notice.epoch() > own.inForceEpoch() && !own.learn(notice)) {
      effects.send(to, answer(nowNanos));
    }
  }

  /** Tells the convener what this node wants of it. */
  void sendWishes() {
    NodeId to = otherConvener();
    if (to != null) {
      wishes.sendTo(to);
    }
  }

  /** Grants an appeal, or takes it to the convener. */
  void appeal(Appeal appeal, long nowNanos) {
    NodeId to = otherConvener();
    if (leader != null) {
      take(appeal, nowNanos);
      advance(nowNanos);
    } else if (to != null) {
      effects.send(to, appeal);
    }
  }

  private void take(Appeal appeal, long nowNanos) {
    if (appeal instanceof Lost lost) {
      wishes.unowned().report(lost, nowNanos);
    } else if (appeal instanceof GiveUp up) {
      wishes.unowned().giveUp(up.rows());
    } else if (appeal instanceof Ended ended) {
      wishes.unowned().ended(ended.nodes());
    } else if (appeal instanceof GiveBack back) {
      propose(back);
    }
  }

  /** A data node cannot reach others, which the convener has to know. */
  void unreachable(NodeId by, Unreachable message, long nowNanos) {
    NodeId to = otherConvener();
    if (leader != null) {
      wishes.brokenPairs().report(by, Set.copyOf(message.nodes()), nowNanos);
      advance(nowNanos);
    } else if (to != null && by.equals(self)) {
      effects.send(to, message);
    }
  }

  /** Stamps over ranges have come: the convener's questions, or the answers to them. */
  void compared(NodeId from, RangeStamps stamps, long nowNanos) {
    SegmentTable stored = own.log().newest();
    if (leader != null && !stamps.stamps().isEmpty()) {
      RangeRepair repair = leader.told(from, stamps, nowNanos);
      if (repair != null) {
        effects.send(from, repair);
      }
      advance(nowNanos);
    } else if (stored != null && stamps.stamps().isEmpty() && stamps.to() <= stored.segments()) {
      effects.send(from, own.stamps(stamps));
    }
  }

  /** What was sent may be lost. */
  void resend(long nowNanos) {
    refused.clear();
    toldAside.clear();
    sendWishes();
    advance(nowNanos);
  }

  // ---- As the convener

  /** Puts a proposal into the queue; false if this node does not lead or there is no room. */
  boolean propose(Proposal proposal) {
    return leader != null && leader.propose(proposal);
  }

  void answered(NodeId from, Appended answer, long nowNanos) {
    if (leader != null) {
      leader.answered(from, answer, nowNanos);
      advance(nowNanos);
    }
  }

  /** Says to the others that the convener is there. */
  void beat(long nowNanos) {
    if (leader != null) {
      leader.beat(nowNanos);
    }
  }

  /** Tells a newcomer why it gets no table. */
  void explain(NodeId newcomer) {
    SegmentTable inForce = own.installed();
    String reason = Standstill.reason(own, quorum);
    if (leader != null && inForce != null && reason != null) {
      effects.send(newcomer, new Stalled(greetings.view().mark(), reason, inForce));
    }
  }

  /** Does what is due: finds the convener and, if it is this node, decides. */
  void advance(long nowNanos) {
    if (!greetings.haveView()) {
      return;
    }
    boolean knowsMore = !knowsAll && knowsParts(nowNanos);
    knowsAll |= knowsMore;
    if (leader != null && (considered != greetings.greeted() || knowsMore)) {
      consider();
    } else if (leader == null && isDue(nowNanos)) {
      consider();
    }
    Leader leads = leader;
    if (leads != null) {
      leads.advance(wishes.sealing() && maySeal(nowNanos), wishes, nowNanos);
      leads.refusals().forEach(this::refuse);
      tellAside();
    }
  }

  private void tellAside() {
    Map<NodeId, String> now = wishes.brokenPairs().aside();
    for (Map.Entry<NodeId, String> one : now.entrySet()) {
      if (toldAside.add(one.getKey()) && greetings.hasGreeted(one.getKey())) {
        effects.send(one.getKey(), new SetAside(greetings.view().mark(), one.getValue()));
      }
    }
  }

  /** Whether to look for a convener: none is known, or there is more to go by. */
  private boolean isDue(long nowNanos) {
    if (greetings.areComplete()) {
      return considered != greetings.greeted()
          && (convener == null || askedNanos == Position.NEVER);
    }
    return convener == null && mayBegin(nowNanos);
  }

  /** Whether those that have greeted may begin without the others. */
  private boolean mayBegin(long nowNanos) {
    LedgerSettings settings = deciding.settings();
    SegmentTable newest = own.log().newest();
    long waitedNanos = nowNanos - enteredNanos;
    boolean divided = newest != null && newest.sealed() && settings.split() == SplitPolicy.ALLOW;
    if (newest == null || divided) {
      return waitedNanos >= settings.foundingNanos() || greetings.awaited(nowNanos).isEmpty();
    }
    Set<NodeId> silent = greetings.silent();
    List<NodeId> heard = greetings.heard();
    boolean known =
        newest.members().stream()
            .noneMatch(member -> member.holdsSegments() && silent.contains(member.id()));
    return (known || waitedNanos >= settings.greetingNanos())
        && new Quorum(settings.split(), heard).permits(own.line());
  }

  /**
   * Whether the cluster may take its first write. Somebody in the view who has said nothing yet may
   * be of a part of it that has.
   */
  private boolean maySeal(long nowNanos) {
    return greetings.awaited(nowNanos).isEmpty()
        || nowNanos - enteredNanos >= deciding.settings().foundingNanos();
  }

  /** Finds the convener among those that have greeted. */
  private void consider() {
    considered = greetings.greeted();
    boolean decides = leader != null && goesOn();
    Assembly assembly = greetings.assembly(decides ? members() : Set.of());
    warn(assembly);
    compare(assembly);
    NodeId found = decides ? self : assembly.convener();
    boolean isNew = convener == null || !convener.equals(found);
    convener = found;
    if (!self.equals(found)) {
      stepDown();
      if (isNew) {
        sendWishes();
      }
      return;
    }
    convene(assembly);
  }

  /** Whether this node goes on deciding whoever else comes: what it decides may be in force. */
  private boolean goesOn() {
    SegmentTable newest = own.log().newest();
    return deciding.settings().split() == SplitPolicy.DENY && newest != null && newest.sealed();
  }

  private Set<NodeId> members() {
    SegmentTable newest = own.log().newest();
    return newest == null
        ? Set.of()
        : newest.members().stream().map(Member::id).collect(Collectors.toSet());
  }

  /**
   * Whether nobody in the view may be of another part of the cluster, to which those belong that
   * have nothing yet.
   */
  private boolean knowsParts(long nowNanos) {
    return nowNanos - enteredNanos >= deciding.settings().foundingNanos()
        || members().containsAll(greetings.awaited(nowNanos));
  }

  /** This node decides for those that have greeted. */
  private void convene(Assembly assembly) {
    putInForce(assembly.newestInForce());
    Admission admission =
        deciding.admit(assembly, greetings.silent(), own.log(), own.inForceEpoch());
    if (!knowsAll) {
      admission = admission.only(members());
    }
    quorum = new Quorum(deciding.settings().split(), admission.nodes());
    Leader leads = leader;
    if (leads == null) {
      Publishing publishing =
          new Publishing(deciding.settings(), greetings.view(), own, quorum, effects);
      leader = new Leader(deciding, own, quorum, publishing, admission);
    } else {
      leads.admit(admission, quorum);
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
    boolean leaves = node.equals(self) && wishes.departures().contains(self);
    if (!leaves && refused.add(node)) {
      effects.send(node, new Refuse(greetings.view().mark(), reason));
    }
  }

  /** Of clusters that hold data and have met only one goes on; whoever is silent may be of any. */
  private void compare(Assembly assembly) {
    compared |= knowsAll || greetings.areComplete();
    yieldsBecause =
        !compared || assembly.goesOn()
            ? null
            : "Reads, writes and streams are refused: another cluster \"%s\" with data was founded apart from this one and goes on, as it has more data nodes or, of equally many, the lower seal. Their data cannot be merged: stop the nodes of one of the two. This one: %s; others: %s"
                .formatted(
                    deciding.settings().terms().clusterName(),
                    own.log().newest(),
                    assembly.foreign());
  }

  private void warn(Assembly assembly) {
    if (!warned && !assembly.foreign().isEmpty()) {
      warned = true;
      effects.warned(
          "Two clusters that both hold data have met, and only one goes on; stop one of them, its"
              + " data cannot be merged. This node: "
              + own.log().newest()
              + "; others: "
              + assembly.foreign());
    }
  }
}
