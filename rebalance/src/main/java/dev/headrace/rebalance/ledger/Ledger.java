package dev.headrace.rebalance.ledger;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.ledger.ControlMessage.Append;
import dev.headrace.rebalance.ledger.ControlMessage.Appended;
import dev.headrace.rebalance.ledger.ControlMessage.Hello;
import dev.headrace.rebalance.ledger.ControlMessage.Inquiry;
import dev.headrace.rebalance.ledger.ControlMessage.Leave;
import dev.headrace.rebalance.ledger.ControlMessage.Lost;
import dev.headrace.rebalance.ledger.ControlMessage.RangeRepair;
import dev.headrace.rebalance.ledger.ControlMessage.RangeStamps;
import dev.headrace.rebalance.ledger.ControlMessage.Refuse;
import dev.headrace.rebalance.ledger.ControlMessage.Seal;
import dev.headrace.rebalance.ledger.ControlMessage.Stalled;
import dev.headrace.rebalance.ledger.Convener.Admission;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.publish.Position;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.publish.Quorum;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One node's part in agreeing on the segment table; see the package for the rules. A pure machine:
 * its driver calls one event at a time, with the time of a monotonic clock, and the ledger answers
 * through its {@link LedgerEffects}.
 */
public final class Ledger {

  private final LedgerSettings settings;
  private final Convener deciding;
  private final LedgerEffects effects;
  private final NodeId self;
  private final Acceptor own;
  private final Departures departures;

  private final Greetings greetings;
  private final Standstill standstill;
  private final Set<NodeId> refused = new HashSet<>();

  private Quorum quorum;
  private @Nullable NodeId convener;
  private @Nullable Leader leader;
  private long nowNanos;
  private long enteredNanos;
  private long resentNanos = Position.NEVER;
  private long beatenNanos = Position.NEVER;
  private long askedNanos = Position.NEVER;
  private long toldLeaseNanos = Lease.NEVER;
  private boolean sealWanted;
  private boolean toldLeading;
  private boolean warned;
  private boolean ended;
  private boolean owesNothingMore;

  /** A ledger that has no view and no table yet. */
  public Ledger(
      LedgerSettings settings, Placement placement, RandomGenerator random, LedgerEffects effects) {
    this.settings = settings;
    this.effects = effects;
    this.self = settings.self().id();
    this.deciding = new Convener(settings, placement, random);
    this.own = new Acceptor(new Lease(settings.leaseNanos()), this::install);
    this.departures = new Departures(settings.movesSegments());
    this.greetings = new Greetings(settings);
    this.standstill = new Standstill(effects);
    this.quorum = new Quorum(settings.split(), List.of());
  }

  // ---- Events

  /** The membership protocol has a new view, which contains this node. */
  public void viewChanged(MemberView newView, long now) {
    handle(now, () -> enter(newView));
  }

  /** A control message has arrived. */
  public void received(NodeId from, ControlMessage message, long now) {
    handle(now, () -> take(from, message));
  }

  /** The first write is waiting: the table must be sealed. May be asked any number of times. */
  public void requestSeal(long now) {
    SegmentTable present = own.installed();
    if (!sealWanted && (present == null || !present.sealed())) {
      sealWanted = true;
      handle(now, this::wish);
    }
  }

  /**
   * None of a segment's owners has all of its content, and nobody else is left who could: it has to
   * begin anew. To be told until it does.
   *
   * @param segmentEpoch the epoch at which its owners last changed; if they have changed again
   *     since, nothing happens
   */
  public void lost(int segment, long segmentEpoch, long now) {
    handle(now, () -> giveUp(new Lost(segment, segmentEpoch)));
  }

  /**
   * This node wants to leave in order; {@link LedgerEffects#left} follows. To be asked again when
   * it owes nothing any more.
   *
   * @param owesNothing whether nobody needs anything from this node any more of what it owned
   *     before
   */
  public void requestLeave(boolean owesNothing, long now) {
    owesNothingMore = owesNothing;
    departures.add(self, owesNothing);
    handle(now, this::wish);
  }

  /**
   * Somebody wants to change the table. A proposal waits its turn; its effect shows in the tables
   * that come into force. It is lost when this node ceases to lead.
   *
   * @return false if this node does not lead, or too many proposals wait
   */
  public boolean propose(Proposal proposal, long now) {
    Leader present = leader;
    if (ended || present == null || !present.propose(proposal)) {
      return false;
    }
    handle(now, this::advance);
    return true;
  }

  /**
   * Another member has a newer table in force. It is taken if it is what this view's convener will
   * send, too; otherwise the convener is told what this node has.
   *
   * @return false if something is missing between this node's table and the notice's
   */
  public boolean noticed(TableNotice notice, long now) {
    handle(now, () -> learn(notice));
    return own.inForceEpoch() >= notice.epoch();
  }

  private void learn(TableNotice notice) {
    NodeId to = convener;
    if (to == null || to.equals(self) || askedNanos == Position.NEVER) {
      return;
    }
    if (notice.epoch() > own.inForceEpoch() && !own.learn(notice)) {
      effects.send(to, answer());
    }
  }

  /** Time has passed: what is unanswered is sent again, and a convener says that it is there. */
  public void tick(long now) {
    handle(now, this::pass);
  }

  // ---- What is so

  /** The table in force here, or null before the first. */
  public @Nullable SegmentTable table() {
    return own.installed();
  }

  /** The node that decides in the present view, or null while that is not known. */
  public @Nullable NodeId convener() {
    return convener;
  }

  /** The nodes that want to leave in order and own segments, perhaps; a convener knows them all. */
  public Set<NodeId> leaving() {
    return departures.nodes();
  }

  // ---- How events are handled

  private void handle(long now, Runnable event) {
    if (ended) {
      return;
    }
    nowNanos = now;
    event.run();
    if (!ended) {
      standstill.judge(own, quorum, knowsItsView());
      tellLease();
      tellLeading(leader != null && leader.isLeading());
      leaveIfDone();
    }
  }

  private void enter(MemberView newView) {
    tellLeading(false);
    enteredNanos = nowNanos;
    greetings.enter(newView, own);
    standstill.enter();
    quorum = new Quorum(settings.split(), newView.members());
    leader = null;
    convener = null;
    askedNanos = Position.NEVER;
    warned = false;
    refused.clear();
    departures.retain(newView.members());
    for (NodeId peer : greetings.peers()) {
      effects.send(peer, greetings.hello(false));
    }
    advance();
  }

  private void take(NodeId from, ControlMessage message) {
    if (message instanceof Hello hello) {
      greeted(from, hello);
    } else if (message instanceof Append append && greetings.isOf(append.viewMark())) {
      append(from, append);
    } else if (message instanceof Appended answer && greetings.isOf(answer.viewMark())) {
      answered(from, answer);
    } else if (message instanceof RangeStamps stamps && greetings.isOf(stamps.viewMark())) {
      compared(from, stamps);
    } else if (message instanceof RangeRepair repair && greetings.isOf(repair.viewMark())) {
      own.repair(repair.slice());
      effects.send(from, answer());
    } else if (message instanceof Refuse refuse && greetings.isOf(refuse.viewMark())) {
      // Who wants to leave and is not taken any more has left.
      boolean wished = departures.contains(self);
      end(wished ? effects::left : () -> effects.refused(refuse.reason()));
    } else if (message instanceof Inquiry inquiry && greetings.isOf(inquiry.viewMark())) {
      explain(from);
    } else if (message instanceof Stalled stalled && greetings.isOf(stalled.viewMark())) {
      stalled(stalled);
    } else if (message instanceof Seal) {
      sealWanted = own.installed() == null || !own.installed().sealed();
      advance();
    } else if (message instanceof Lost lost && leader != null) {
      giveUp(lost);
    } else if (message instanceof Leave leave && greetings.view().members().contains(from)) {
      departures.add(from, leave.owesNothing());
      advance();
    }
  }

  private void greeted(NodeId from, Hello hello) {
    greetings.greeted(from, hello);
    if (hello.wantsAnswer() && greetings.view().members().contains(from)) {
      effects.send(from, greetings.hello(false));
    }
    advance();
  }

  private void append(NodeId from, Append append) {
    boolean found = convener == null;
    if (own.take(append)) {
      convener = from;
      askedNanos = append.askedNanos();
      if (!ended) {
        effects.send(from, answer());
      }
    }
    if (found && !ended) {
      sendWishes();
    }
  }

  private void answered(NodeId from, Appended answer) {
    if (leader != null) {
      leader.answered(from, answer, nowNanos);
      advance();
    }
  }

  /** Begins a segment anew, or asks the convener for it. */
  private void giveUp(Lost lost) {
    NodeId to = convener;
    if (leader != null) {
      leader.propose(lost::on);
      advance();
    } else if (to != null && !to.equals(self)) {
      effects.send(to, lost);
    }
  }

  private void compared(NodeId from, RangeStamps stamps) {
    SegmentTable stored = own.log().newest();
    if (leader != null && !stamps.stamps().isEmpty()) {
      RangeRepair repair = leader.told(from, stamps, nowNanos);
      if (repair != null) {
        effects.send(from, repair);
      }
      advance();
    } else if (stored != null && stamps.stamps().isEmpty() && stamps.to() <= stored.segments()) {
      effects.send(from, own.stamps(stamps));
    }
  }

  private void explain(NodeId newcomer) {
    SegmentTable inForce = own.installed();
    String reason = Standstill.reason(own, quorum);
    if (leader != null && inForce != null && reason != null) {
      effects.send(newcomer, new Stalled(greetings.view().mark(), reason, inForce));
    }
  }

  private void stalled(Stalled stalled) {
    if (own.installed() == null) {
      standstill.hear(stalled.reason());
      effects.stalled(stalled.inForce(), stalled.reason());
    }
  }

  private void wish() {
    sendWishes();
    advance();
  }

  private void pass() {
    if (isDue(resentNanos, settings.resendNanos())) {
      resentNanos = nowNanos;
      for (NodeId peer : greetings.peers()) {
        if (!greetings.hasGreeted(peer)) {
          effects.send(peer, greetings.hello(true));
        }
      }
      refused.clear();
      inquire();
      sendWishes();
      advance();
    }
    if (leader != null && isDue(beatenNanos, settings.heartbeatNanos())) {
      beatenNanos = nowNanos;
      leader.beat(nowNanos);
    }
  }

  /** Whoever has waited for a table for a while wants to know why. */
  private void inquire() {
    NodeId to = convener;
    if (to != null && !to.equals(self) && own.installed() == null && standstill.isUnexplained()) {
      effects.send(to, new Inquiry(greetings.view().mark()));
    }
  }

  private boolean isDue(long lastNanos, long periodNanos) {
    return lastNanos == Position.NEVER || nowNanos - lastNanos >= periodNanos;
  }

  /**
   * Does what is due once everybody has greeted: find the convener and, if it is this node, decide.
   */
  private void advance() {
    if (!greetings.areComplete()) {
      return;
    }
    if (leader == null) {
      Assembly assembly = greetings.assembly();
      warn(assembly);
      boolean found = convener == null;
      convener = assembly.convener();
      if (convener == null || !convener.equals(self)) {
        if (found) {
          sendWishes();
        }
        return;
      }
      putInForce(assembly.newestInForce());
      Admission admission = deciding.admit(assembly, own.log(), own.inForceEpoch());
      quorum = new Quorum(settings.split(), admission.nodes());
      Publishing publishing = new Publishing(settings, greetings.view(), own, quorum, effects);
      leader = new Leader(deciding, own, quorum, publishing, admission);
    }
    leader.advance(sealWanted, departures, nowNanos);
    leader.refusals().forEach(this::refuse);
  }

  /** What is in force anywhere was decided, and needs no quorum of its members any more. */
  private void putInForce(long decided) {
    if (own.log().has(decided)) {
      own.putInForce(decided);
    }
  }

  private void refuse(NodeId node, String reason) {
    // A leaver that decides is out of its own table, and goes when the others have it in force.
    boolean leaves = node.equals(self) && departures.contains(self);
    if (!leaves && refused.add(node)) {
      effects.send(node, new Refuse(greetings.view().mark(), reason));
    }
  }

  private boolean install(SegmentTable next, @Nullable TableDelta delta) {
    boolean leaves = departures.contains(self);
    boolean acts = next.member(self) != null || (leaves && leader != null);
    if (acts && !ended) {
      sealWanted &= !next.sealed();
      effects.install(next, delta);
    } else if (leaves && !ended && own.installed() != null) {
      end(effects::left);
    }
    return acts;
  }

  /** Tells the convener what this node wants of it. */
  private void sendWishes() {
    NodeId to = convener;
    if (to == null || to.equals(self)) {
      return;
    }
    if (sealWanted) {
      effects.send(to, new Seal());
    }
    if (departures.contains(self)) {
      effects.send(to, new Leave(owesNothingMore));
    }
  }

  /** A convener leaves when all others have the table without it. */
  private void leaveIfDone() {
    if (!departures.contains(self)) {
      return;
    }
    SegmentTable present = own.installed();
    Leader leads = leader;
    boolean alone = greetings.peers().isEmpty() || present == null;
    boolean handedOver =
        leads != null
            && present != null
            && present.member(self) == null
            && greetings.peers().stream()
                .filter(peer -> present.member(peer) != null)
                .allMatch(peer -> leads.hasInstalled(peer, present.epoch()));
    if (alone || handedOver) {
      end(effects::left);
    }
  }

  // ---- What is told

  private void tellLease() {
    SegmentTable present = own.installed();
    boolean free = present == null || !present.sealed() || settings.split() == SplitPolicy.ALLOW;
    long untilNanos = free ? Lease.ALWAYS : own.lease().untilNanos();
    if (untilNanos != toldLeaseNanos) {
      toldLeaseNanos = untilNanos;
      effects.lease(untilNanos);
    }
  }

  private void tellLeading(boolean leads) {
    if (leads != toldLeading) {
      toldLeading = leads;
      effects.leading(leads);
    }
  }

  /**
   * Whether nobody in the view can be expected to have a newer table, in which those in reach may
   * be enough. What is served meanwhile is a matter of leases.
   */
  private boolean knowsItsView() {
    boolean waited = nowNanos - enteredNanos >= settings.leaseNanos();
    return waited
        || (greetings.areComplete() && greetings.assembly().newestInForce() <= own.inForceEpoch());
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

  private Appended answer() {
    return own.answer(greetings.view().mark(), askedNanos, nowNanos);
  }

  private void end(Runnable last) {
    ended = true;
    last.run();
  }
}
