package dev.headrace.rebalance.ledger;

import dev.headrace.rebalance.ledger.ControlMessage.Appeal;
import dev.headrace.rebalance.ledger.ControlMessage.Appended;
import dev.headrace.rebalance.ledger.ControlMessage.RangeRepair;
import dev.headrace.rebalance.ledger.ControlMessage.RangeStamps;
import dev.headrace.rebalance.ledger.ControlMessage.Refuse;
import dev.headrace.rebalance.ledger.ControlMessage.Stalled;
import dev.headrace.rebalance.ledger.Convener.Admission;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.publish.Position;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.publish.Quorum;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What lasts as long as a view: who its convener is and, if it is this node, how it decides. Begins
 * when the node enters the view, before anybody there has greeted it.
 */
final class Sitting {

  private final Convener deciding;
  private final NodeId self;
  private final Acceptor own;
  private final Greetings greetings;
  private final Wishes wishes;
  private final LedgerEffects effects;
  private final Set<NodeId> refused = new HashSet<>();
  private Quorum quorum;
  private @Nullable NodeId convener;
  private @Nullable Leader leader;
  private long askedNanos = Position.NEVER;
  private boolean warned;

  Sitting(
      Convener deciding, Acceptor own, Greetings greetings, Wishes wishes, LedgerEffects effects) {
    this.deciding = deciding;
    this.self = deciding.self();
    this.own = own;
    this.greetings = greetings;
    this.wishes = wishes;
    this.effects = effects;
    this.quorum = new Quorum(deciding.settings().split(), greetings.view().members());
  }

  // ---- What is so

  /** Of whom a quorum is needed; as long as nobody is known to be taken, of the whole view. */
  Quorum quorum() {
    return quorum;
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

  /** Whether this node decides, is out of its own table, and all others have that in force. */
  boolean handedOver() {
    SegmentTable present = own.installed();
    Leader leads = leader;
    return leads != null
        && present != null
        && present.member(self) == null
        && greetings.peers().stream()
            .filter(peer -> present.member(peer) != null)
            .allMatch(peer -> leads.hasInstalled(peer, present.epoch()));
  }

  // ---- As anybody

  /** The convener has asked this node to store tables, or has said that it is there. */
  void asked(NodeId by, long nanos) {
    convener = by;
    askedNanos = nanos;
  }

  /** What this node says to the convener. */
  Appended answer(long nowNanos) {
    return own.answer(greetings.view().mark(), askedNanos, nowNanos);
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
      leader.propose(appeal);
      advance(nowNanos);
    } else if (to != null) {
      effects.send(to, appeal);
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

  /**
   * Does what is due once everybody has greeted: find the convener and, if it is this node, decide.
   */
  void advance(long nowNanos) {
    if (!greetings.areComplete()) {
      return;
    }
    Leader leads = leader == null ? convene() : leader;
    leader = leads;
    if (leads != null) {
      leads.advance(wishes.sealing(), wishes.departures(), nowNanos);
      leads.refusals().forEach(this::refuse);
    }
  }

  /** Finds the convener; null if it is another node. */
  private @Nullable Leader convene() {
    Assembly assembly = greetings.assembly();
    warn(assembly);
    boolean found = convener == null;
    convener = assembly.convener();
    if (convener == null || !convener.equals(self)) {
      if (found) {
        sendWishes();
      }
      return null;
    }
    putInForce(assembly.newestInForce());
    Admission admission = deciding.admit(assembly, own.log(), own.inForceEpoch());
    quorum = new Quorum(deciding.settings().split(), admission.nodes());
    Publishing publishing =
        new Publishing(deciding.settings(), greetings.view(), own, quorum, effects);
    return new Leader(deciding, own, quorum, publishing, admission);
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

  private void warn(Assembly assembly) {
    if (!warned && !assembly.foreign().isEmpty()) {
      warned = true;
      effects.warned(
          "Two clusters that both hold data have met and go on apart; stop one of them, its data"
              + " cannot be merged. This node: "
              + own.log().newest()
              + "; others: "
              + assembly.foreign());
    }
  }
}
