package dev.headrace.rebalance.ledger;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.ledger.ControlMessage.Appeal;
import dev.headrace.rebalance.ledger.ControlMessage.Append;
import dev.headrace.rebalance.ledger.ControlMessage.Appended;
import dev.headrace.rebalance.ledger.ControlMessage.Ended;
import dev.headrace.rebalance.ledger.ControlMessage.GiveBack;
import dev.headrace.rebalance.ledger.ControlMessage.GiveUp;
import dev.headrace.rebalance.ledger.ControlMessage.Hello;
import dev.headrace.rebalance.ledger.ControlMessage.Inquiry;
import dev.headrace.rebalance.ledger.ControlMessage.Leave;
import dev.headrace.rebalance.ledger.ControlMessage.Lost;
import dev.headrace.rebalance.ledger.ControlMessage.RangeRepair;
import dev.headrace.rebalance.ledger.ControlMessage.RangeStamps;
import dev.headrace.rebalance.ledger.ControlMessage.Refuse;
import dev.headrace.rebalance.ledger.ControlMessage.Seal;
import dev.headrace.rebalance.ledger.ControlMessage.SetAside;
import dev.headrace.rebalance.ledger.ControlMessage.Stalled;
import dev.headrace.rebalance.ledger.ControlMessage.Unreachable;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.publish.Position;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.Collection;
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
  private final Wishes wishes;
  private final Greetings greetings;
  private final Standstill standstill;
  private Sitting sitting;
  private long nowNanos;
  private long enteredNanos;
  private long resentNanos = Position.NEVER;
  private long beatenNanos = Position.NEVER;
  private long toldLeaseNanos = Lease.NEVER;
  private @Nullable String toldMisplaced;
  private boolean toldLeading;
  private boolean ended;

  /** A ledger that has no view and no table yet. */
  public Ledger(
      LedgerSettings settings, Placement placement, RandomGenerator random, LedgerEffects effects) {
    this.settings = settings;
    this.effects = effects;
    this.self = settings.self().id();
    this.deciding = new Convener(settings, placement, random);
    this.own = new Acceptor(new Lease(settings.leaseNanos()), this::install);
    this.departures = new Departures(settings.movesSegments());
    this.wishes =
        new Wishes(
            self,
            departures,
            new Unowned(settings, effects),
            new BrokenPairs(settings, effects),
            effects);
    this.greetings = new Greetings(settings);
    this.standstill = new Standstill(effects);
    this.sitting = new Sitting(deciding, own, greetings, wishes, effects, 0);
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
    if (!wishes.sealing() && wishes.seal(own.installed())) {
      handle(now, this::wish);
    }
  }

  /**
   * None of a segment's owners has all of its content, and nobody else is in reach who could: it
   * waits, or begins anew. To be told until that has changed.
   *
   * @param segmentEpoch the epoch at which its owners last changed; if they have changed again
   *     since, nothing happens
   */
  public void lost(int segment, long segmentEpoch, long now) {
    handle(now, () -> sitting.appeal(new Lost(segment, segmentEpoch), now));
  }

  /**
   * This data node cannot reach some members by the way that operations take. To be told again and
   * again while that is so, a few times per second, and once that it reaches all of them again.
   */
  public void unreachable(Collection<NodeId> nodes, long now) {
    Unreachable message = new Unreachable(List.copyOf(nodes));
    handle(now, () -> sitting.unreachable(self, message, now));
  }

  /**
   * Somebody has decided that what some segments hold is gone: those of them that nobody in reach
   * can serve begin anew. To be told until they have. One whose owners have changed since the
   * decision is left alone: another decision is needed.
   */
  public void giveUp(Collection<GiveUp.Row> rows, long now) {
    handle(now, () -> sitting.appeal(new GiveUp(List.copyOf(rows)), now));
  }

  /**
   * Some nodes that segments wait for are known to have ended. If the cluster's terms say so,
   * segments of which nobody else has the content begin anew. To be told until nothing waits for
   * them.
   */
  public void ended(Collection<NodeId> nodes, long now) {
    handle(now, () -> sitting.appeal(new Ended(List.copyOf(nodes)), now));
  }

  /**
   * A segment's primary cannot complete its copy; somebody who has everything is to be the primary
   * instead. To be told until that is so.
   *
   * @param segmentEpoch as with {@link #lost}
   * @param keeper who has everything
   */
  public void giveBack(int segment, long segmentEpoch, NodeId keeper, long now) {
    handle(now, () -> sitting.appeal(new GiveBack(segment, segmentEpoch, keeper), now));
  }

  /**
   * This node wants to leave in order; {@link LedgerEffects#left} follows. To be asked again when
   * it owes nothing any more.
   *
   * @param owesNothing whether nobody needs anything from this node any more of what it owned
   *     before
   */
  public void requestLeave(boolean owesNothing, long now) {
    wishes.leave(owesNothing);
    handle(now, this::wish);
  }

  /**
   * Somebody wants to change the table. A proposal waits its turn; its effect shows in the tables
   * that come into force. It is lost when this node ceases to lead.
   *
   * @return false if this node does not lead, or too many proposals wait
   */
  public boolean propose(Proposal proposal, long now) {
    if (ended || !sitting.propose(proposal)) {
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
    handle(now, () -> sitting.noticed(notice, now));
    return own.inForceEpoch() >= notice.epoch();
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
    return sitting.convener();
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
    if (!ended && sitting.convenes()) {
      warnOfMisplaced(sitting.misplaced());
    }
    if (!ended) {
      if (sitting.hasCompared()) {
        standstill.compare(sitting.yieldsBecause());
      }
      standstill.forget(nowNanos - 2 * settings.leaseNanos());
      standstill.judge(own, sitting.quorum(), knowsItsView());
      tellLease();
      tellLeading(sitting.isLeading());
      leaveIfDone();
    }
  }

  private void enter(MemberView newView) {
    tellLeading(false);
    enteredNanos = nowNanos;
    greetings.enter(newView, own, nowNanos);
    standstill.enter();
    sitting = new Sitting(deciding, own, greetings, wishes, effects, nowNanos);
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
      sitting.answered(from, answer, nowNanos);
    } else if (message instanceof RangeStamps stamps && greetings.isOf(stamps.viewMark())) {
      sitting.compared(from, stamps, nowNanos);
    } else if (message instanceof RangeRepair repair && greetings.isOf(repair.viewMark())) {
      own.repair(repair.slice());
      effects.send(from, sitting.answer(nowNanos));
    } else if (message instanceof Refuse refuse && greetings.isOf(refuse.viewMark())) {
      // Who wants to leave and is not taken any more has left.
      boolean wished = departures.contains(self);
      end(wished ? effects::left : () -> effects.refused(refuse.reason()));
    } else if (message instanceof Inquiry inquiry && greetings.isOf(inquiry.viewMark())) {
      sitting.explain(from);
    } else if (message instanceof Stalled stalled && greetings.isOf(stalled.viewMark())) {
      stalled(stalled);
    } else if (message instanceof Unreachable unreachable) {
      sitting.unreachable(from, unreachable, nowNanos);
    } else if (message instanceof SetAside aside && greetings.isOf(aside.viewMark())) {
      standstill.setAside(aside.reason(), nowNanos);
    } else if (message instanceof Seal) {
      wishes.seal(own.installed());
      advance();
    } else if (message instanceof Appeal appeal && sitting.convenes()) {
      sitting.appeal(appeal, nowNanos);
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
    if (sitting.holdsToAnother(from, append, nowNanos) || isForeign(from)) {
      return;
    }
    boolean found = sitting.convener() == null;
    if (own.take(append)) {
      sitting.asked(from, append, nowNanos);
      if (!ended) {
        effects.send(from, sitting.answer(nowNanos));
      }
    } else if (append.term() < own.promisedTerm()) {
      effects.send(from, sitting.refusal(append.askedNanos(), nowNanos));
    }
    if (found && !ended) {
      sitting.sendWishes();
    }
  }

  /** Whether somebody decides about other data than this node has. */
  private boolean isForeign(NodeId convener) {
    SegmentTable present = own.installed();
    long seal = greetings.sealOf(convener);
    return present != null && present.sealed() && seal != 0 && seal != present.header().seal();
  }

  private void stalled(Stalled stalled) {
    if (own.installed() == null) {
      standstill.hear(stalled.reason());
      effects.stalled(stalled.inForce(), stalled.reason());
    }
  }

  private void wish() {
    sitting.sendWishes();
    advance();
  }

  private void advance() {
    sitting.advance(nowNanos);
  }

  private void pass() {
    if (isDue(resentNanos, settings.resendNanos())) {
      resentNanos = nowNanos;
      for (NodeId peer : greetings.peers()) {
        if (!greetings.hasGreeted(peer)) {
          effects.send(peer, greetings.hello(true));
        }
      }
      inquire();
      sitting.resend(nowNanos);
    }
    if (sitting.convenes() && isDue(beatenNanos, settings.heartbeatNanos())) {
      beatenNanos = nowNanos;
      sitting.beat(nowNanos);
    }
  }

  /** Whoever has waited for a table for a while wants to know why. */
  private void inquire() {
    NodeId to = sitting.otherConvener();
    if (to != null && own.installed() == null && standstill.isUnexplained()) {
      effects.send(to, new Inquiry(greetings.view().mark()));
    }
  }

  private boolean isDue(long lastNanos, long periodNanos) {
    return lastNanos == Position.NEVER || nowNanos - lastNanos >= periodNanos;
  }

  /** A node that cannot found a cluster must not look as if it waited for one. */
  private void warnOfMisplaced(@Nullable String why) {
    if (why != null && own.log().newest() == null) {
      end(() -> effects.refused(why));
    } else if (why != null && !why.equals(toldMisplaced)) {
      effects.warned(
          "Segments stay where they are, and nodes that come get none, until the nodes of the"
              + " cluster change: "
              + why);
    }
    toldMisplaced = why;
  }

  private boolean install(SegmentTable next, @Nullable TableDelta delta) {
    boolean leaves = departures.contains(self);
    boolean acts = next.member(self) != null || (leaves && sitting.convenes());
    if (acts && !ended) {
      wishes.installed(next, nowNanos);
      standstill.taken();
      effects.install(next, delta);
    } else if (leaves && !ended && own.installed() != null) {
      end(effects::left);
    }
    return acts;
  }

  /** A convener leaves when all others have the table without it. */
  private void leaveIfDone() {
    if (!departures.contains(self)) {
      return;
    }
    boolean alone = greetings.peers().isEmpty() || own.installed() == null;
    if (alone || sitting.handedOver()) {
      end(effects::left);
    }
  }

  // ---- What is told

  private void tellLease() {
    SegmentTable present = own.installed();
    boolean free = present == null || settings.split() == SplitPolicy.ALLOW;
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
        || (greetings.areComplete()
            && greetings.assembly(Set.of()).newestInForce() <= own.inForceEpoch());
  }

  private void end(Runnable last) {
    ended = true;
    last.run();
  }
}
