package dev.headrace.rebalance.agreement;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.ControlMessage.Appeal;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.Appended;
import dev.headrace.rebalance.agreement.ControlMessage.Ended;
import dev.headrace.rebalance.agreement.ControlMessage.FirstWrite;
import dev.headrace.rebalance.agreement.ControlMessage.GiveBack;
import dev.headrace.rebalance.agreement.ControlMessage.GiveUp;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.agreement.ControlMessage.Leave;
import dev.headrace.rebalance.agreement.ControlMessage.Lost;
import dev.headrace.rebalance.agreement.ControlMessage.OfView;
import dev.headrace.rebalance.agreement.ControlMessage.RangeRepair;
import dev.headrace.rebalance.agreement.ControlMessage.RangeStamps;
import dev.headrace.rebalance.agreement.ControlMessage.Refuse;
import dev.headrace.rebalance.agreement.ControlMessage.SetAside;
import dev.headrace.rebalance.agreement.ControlMessage.Stalled;
import dev.headrace.rebalance.agreement.ControlMessage.StatusRequest;
import dev.headrace.rebalance.agreement.ControlMessage.Unreachable;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.publish.MemberProgress;
import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One node's part in agreeing on the segment table. A pure machine: its driver calls one event at a
 * time, with the time of a monotonic clock, and the agreement answers through its {@link
 * AgreementEffects}.
 *
 * <h2>How it compares with Raft and Multi-Paxos</h2>
 *
 * <p>The replicated log is the line of tables: each entry is a {@link TableDelta} on the one
 * before, and the log's prefix is replaced by the table that it makes, an image. A log entry is
 * committed when a table is <em>in force</em>. Members vote with what they have <em>stored</em>, as
 * Raft's followers do with {@code matchIndex}. Only nodes with a capacity vote.
 *
 * <p><b>Who coordinates.</b> There are no randomized elections: a view of the membership protocol
 * names the candidates. Every node greets all others with what it had stored when it entered the
 * view, so all find the same coordinator: the first data node with the newest table. Views are
 * hints, they may differ and be wrong; nothing below relies on them.
 *
 * <p><b>Ballots.</b> A ballot is Raft's term and Paxos' ballot: its number, then a mark of the
 * coordinator, so that no two coordinators have the same. It is the upper part of each epoch, the
 * lower counts the tables under it; so epochs order tables of different ballots, and an epoch names
 * one table only. The claim of a ballot is an empty {@link Append}, a promise its answer. Whoever
 * promises takes nothing under an older ballot any more; and it promises nobody who lacks a table
 * that it has stored (Raft's restriction of elections), so that the coordinator need not collect
 * entries as in Paxos: it has the newest already. What it inherits is in force only when a table of
 * its own ballot is, which is therefore made at once (section 5.4.2 of the Raft paper). A
 * coordinator takes proposals from then on.
 *
 * <p><b>Quorums of old and new.</b> A quorum is more than half of a table's data nodes, or exactly
 * half with the oldest. The voters are part of what is decided: the line from the table in force to
 * the newest may have several memberships, and claim and commit need a quorum of <em>each</em>, as
 * Raft's joint consensus needs two. So memberships may change while others are under way, by any
 * number of nodes. A table that gives a segment to new owners needs the vote of one of them besides
 * ({@link dev.headrace.rebalance.publish.OwnerVotes}): a quorum alone could hand a segment to nodes
 * that are gone, and release those that have its content.
 *
 * <p><b>Clusters without data.</b> Before the first write nothing can be lost, and consensus would
 * only be in the way of the first nodes that look for each other. A table is in force when it is
 * made, needs no quorum, and is made anew from who is there; two such clusters that meet become
 * one. What must still hold is that nobody reads an absence after another has acknowledged a write:
 * see the next step, and {@link SegmentTable#excludedAt}.
 *
 * <p><b>The first write</b> ends that freedom. It is a step of its own, and needs <em>every</em>
 * data node of its table: then there is none that goes on as if there were no data, and none that
 * acts on an older unwritten table, since it has installed this one before it could store the step.
 * It draws a number that all later tables carry. Clusters of different numbers have different data:
 * they refuse each other's tables and nodes, whatever their epochs. The membership before that step
 * binds nobody; hence it is not counted among the quorums of the line.
 *
 * <p><b>Leases.</b> A coordinator echoes the times of its members' answers while a quorum answers
 * it; a node serves for a lease after the latest answer of its own that was echoed ({@link Lease}).
 * A new table takes segments away from nodes that do not know it yet. It does not wait for them:
 * new primaries do, until former owners have said that they know, or can have no lease any more.
 *
 * <p>Under {@link SplitPolicy#ALLOW} a quorum is counted within a view, so that every part goes on;
 * none of the guarantees across a split holds then.
 */
public final class TableAgreement {

  private final AgreementSettings settings;
  private final AdmissionRules rules;
  private final AgreementEffects effects;
  private final NodeId self;
  private final Acceptor own;
  private final LeavingNodes leaving;
  private final PendingRequests requests;
  private final HelloExchange hellos;
  private final QuorumLoss quorumLoss;
  private ViewSession session;
  private long nowNanos;
  private long enteredNanos;
  private long installedNanos = MemberProgress.NEVER;
  private long resentNanos = MemberProgress.NEVER;
  private long beatenNanos = MemberProgress.NEVER;
  private long toldLeaseNanos = Lease.NEVER;
  private @Nullable String toldMisplaced;
  private boolean toldCoordinating;

  /** Whether this node wanted to leave when the newest table in force, which lacks it, came. */
  private boolean takenOut;

  private boolean ended;

  public TableAgreement(
      AgreementSettings settings,
      Placement placement,
      RandomGenerator random,
      AgreementEffects effects) {
    this.settings = settings;
    this.effects = effects;
    this.self = settings.self().id();
    this.rules = new AdmissionRules(settings, placement, random);
    this.own = new Acceptor(new Lease(settings.leaseNanos()), this::install);
    this.requests = new PendingRequests(settings, effects);
    this.leaving = requests.leaving;
    this.hellos = new HelloExchange(settings);
    this.quorumLoss = new QuorumLoss(effects);
    this.session = new ViewSession(rules, own, hellos, requests, effects, 0);
  }

  // ---- Events

  /** The membership protocol has a new view, which contains this node. */
  public void viewChanged(MemberView newView, long now) {
    handle(now, () -> enter(newView));
  }

  public void received(NodeId from, ControlMessage message, long now) {
    handle(now, () -> take(from, message));
  }

  /**
   * The first write is waiting: the table must be marked as written. May be asked any number of
   * times.
   */
  public void requestFirstWrite(long now) {
    if (!requests.wantsFirstWrite() && requests.firstWrite(own.installed())) {
      handle(now, this::sendRequests);
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
    handle(now, () -> session.appeal(new Lost(segment, segmentEpoch), now));
  }

  /**
   * This data node cannot reach some members by the way that operations take. To be told again and
   * again while that is so, a few times per second, and once that it reaches all of them again.
   */
  public void unreachable(Collection<NodeId> nodes, long now) {
    Unreachable message = new Unreachable(List.copyOf(nodes));
    handle(now, () -> session.unreachable(self, message, now));
  }

  /**
   * Somebody has decided that what some segments hold is gone: those of them that nobody in reach
   * can serve begin anew. To be told until they have. One whose owners have changed since the
   * decision is left alone: another decision is needed.
   */
  public void giveUp(Collection<GiveUp.Row> rows, long now) {
    handle(now, () -> session.appeal(new GiveUp(List.copyOf(rows)), now));
  }

  /**
   * Some nodes that segments wait for are known to have ended. If the cluster's terms say so,
   * segments of which nobody else has the content begin anew. To be told until nothing waits for
   * them.
   */
  public void ended(Collection<NodeId> nodes, long now) {
    handle(now, () -> session.appeal(new Ended(List.copyOf(nodes)), now));
  }

  /**
   * A segment's primary cannot complete its copy; somebody who has everything is to be the primary
   * instead. To be told until that is so.
   *
   * @param segmentEpoch as with {@link #lost}
   * @param keeper who has everything
   */
  public void giveBack(int segment, long segmentEpoch, NodeId keeper, long now) {
    handle(now, () -> session.appeal(new GiveBack(segment, segmentEpoch, keeper), now));
  }

  /**
   * This node wants to leave in order; {@link AgreementEffects#left} follows. To be asked again
   * when it owes nothing any more.
   *
   * @param owesNothingAt the epoch of its table if it owns nothing there and nobody needs anything
   *     that it owned before; else {@link SegmentTable#NEVER}
   */
  public void requestLeave(long owesNothingAt, long now) {
    requests.leave(owesNothingAt);
    handle(now, this::sendRequests);
  }

  /**
   * Somebody wants to change the table. A proposal waits its turn; its effect shows in the tables
   * that come into force. It is lost when this node ceases to coordinate.
   *
   * @return false if this node does not coordinate, or too many proposals wait
   */
  public boolean propose(Proposal proposal, long now) {
    Coordinator coordinator = session.coordinating();
    if (ended || coordinator == null || !coordinator.propose(proposal)) {
      return false;
    }
    handle(now, this::advance);
    return true;
  }

  /**
   * Another member has a newer table in force. It is taken if it is what this view's coordinator
   * will send, too; otherwise the coordinator is told what this node has.
   *
   * @return false if something is missing between this node's table and the notice's
   */
  public boolean noticed(TableNotice notice, long now) {
    handle(now, () -> session.noticed(notice, now));
    return own.inForceEpoch() >= notice.epoch();
  }

  /** Time has passed: what is unanswered is sent again, and a coordinator says that it is there. */
  public void tick(long now) {
    handle(now, this::pass);
  }

  // ---- What is so

  /** The table in force here, or null before the first. */
  public @Nullable SegmentTable table() {
    return own.installed();
  }

  /** The node that decides in the present view, or null while that is not known. */
  public @Nullable NodeId coordinator() {
    return session.coordinator();
  }

  /**
   * The nodes that want to leave in order and own segments, perhaps; a coordinator knows them all.
   */
  public Set<NodeId> leaving() {
    return leaving.nodes();
  }

  // ---- How events are handled

  private void handle(long now, Runnable event) {
    if (ended) {
      return;
    }
    nowNanos = now;
    event.run();
    Coordinator coordinator = session.coordinating();
    if (!ended && coordinator != null) {
      hellos.renew(own);
      warnOfMisplaced(coordinator.misplaced());
    }
    if (!ended) {
      if (session.hasCompared()) {
        quorumLoss.compare(session.yieldsBecause());
      }
      quorumLoss.forget(nowNanos - 2 * settings.leaseNanos());
      quorumLoss.judge(own, session.quorum(), knowsItsView());
      tellLease();
      tellCoordinating(coordinator != null && coordinator.isDeciding());
      leaveIfDone();
    }
  }

  /**
   * The version of the protocol in which a message to a node has to be encoded: the newest that
   * both know or, before it has greeted, that of the cluster.
   */
  public int protocolWith(NodeId peer) {
    return hellos.protocolWith(peer, own.installed());
  }

  private void enter(MemberView newView) {
    tellCoordinating(false);
    enteredNanos = nowNanos;
    hellos.enter(newView, own, nowNanos);
    quorumLoss.enter();
    session = new ViewSession(rules, own, hellos, requests, effects, nowNanos);
    leaving.retain(newView.members());
    for (NodeId peer : hellos.peers()) {
      effects.send(peer, hellos.hello(peer, false));
    }
    advance();
  }

  private void take(NodeId from, ControlMessage message) {
    if (message instanceof OfView one && !hellos.isOf(one.viewMark())) {
      return; // of a view that this node has left, or has not entered yet
    }
    if (message instanceof Hello hello) {
      greeted(from, hello);
    } else if (message instanceof Append append) {
      append(from, append);
    } else if (message instanceof Appended answer) {
      session.answered(from, answer, nowNanos);
    } else if (message instanceof RangeStamps stamps) {
      session.compared(from, stamps, nowNanos);
    } else if (message instanceof RangeRepair repair) {
      own.repair(repair.slice());
      effects.send(from, session.answer(nowNanos));
    } else if (message instanceof Refuse refuse) {
      // Who wants to leave and is not taken any more has left.
      boolean wished = leaving.contains(self);
      end(wished ? effects::left : () -> effects.refused(refuse.reason()));
    } else if (message instanceof StatusRequest) {
      session.explain(from);
    } else if (message instanceof Stalled stalled) {
      stalled(stalled);
    } else if (message instanceof Unreachable unreachable) {
      session.unreachable(from, unreachable, nowNanos);
    } else if (message instanceof SetAside aside) {
      setAside(aside);
    } else if (message instanceof FirstWrite) {
      requests.firstWrite(own.installed());
      advance();
    } else if (message instanceof Appeal appeal && session.coordinating() != null) {
      session.appeal(appeal, nowNanos);
    } else if (message instanceof Leave leave && hellos.view().members().contains(from)) {
      leaving.add(from, leave.owesNothingAt());
      advance();
    }
  }

  private void greeted(NodeId from, Hello hello) {
    if (hellos.greeted(from, hello)) {
      session.reconsider();
    }
    if (hello.wantsAnswer() && hellos.view().members().contains(from)) {
      effects.send(from, hellos.hello(from, false));
    }
    advance();
  }

  private void append(NodeId from, Append append) {
    if (isForeign(from, append)) {
      if (settings.self().holdsSegments()) {
        effects.send(from, hellos.present(from, own)); // it does not know, or it would not ask
      }
      return;
    }
    if (session.holdsToAnother(from, append, nowNanos)) {
      return;
    }
    boolean found = session.coordinator() == null;
    if (own.take(append, hellos.firstWriteOf(from))) {
      session.asked(from, append, nowNanos);
      if (!ended) {
        effects.send(from, session.answer(nowNanos));
      }
    } else if (append.ballot() < own.promisedBallot()) {
      effects.send(from, session.refusal(append.askedNanos(), nowNanos));
    }
    if (found && !ended) {
      session.sendRequests();
    }
  }

  /** Whether somebody decides about other data than this node has, or without knowing of any. */
  private boolean isForeign(NodeId coordinator, Append append) {
    SegmentTable present = own.installed();
    if (present == null || !present.written()) {
      return false;
    }
    SegmentTable image = append.image();
    if (image != null && !image.written()) {
      return image.clusterId() != present.clusterId();
    }
    long firstWrite =
        image == null ? hellos.firstWriteOf(coordinator) : image.header().firstWrite();
    return firstWrite != 0 && firstWrite != present.header().firstWrite();
  }

  private void setAside(SetAside aside) {
    SegmentTable present = own.installed();
    if (present == null || present.epoch() <= aside.epoch()) {
      quorumLoss.setAside(aside.reason(), nowNanos);
    }
  }

  private void stalled(Stalled stalled) {
    if (own.installed() == null) {
      quorumLoss.hear(stalled.reason());
      effects.stalled(stalled.inForce(), stalled.reason());
    }
  }

  private void sendRequests() {
    session.sendRequests();
    advance();
  }

  private void advance() {
    session.advance(nowNanos);
  }

  private void pass() {
    if (isDue(resentNanos, settings.resendNanos())) {
      resentNanos = nowNanos;
      for (NodeId peer : hellos.peers()) {
        if (!hellos.hasGreeted(peer)) {
          effects.send(peer, hellos.hello(peer, true));
        }
      }
      inquire();
      session.resend(nowNanos);
    }
    Coordinator coordinator = session.coordinating();
    if (coordinator != null && isDue(beatenNanos, settings.heartbeatNanos())) {
      beatenNanos = nowNanos;
      coordinator.beat(nowNanos);
    }
    session.tick(nowNanos);
  }

  /** Whoever has waited for a table for a while wants to know why. */
  private void inquire() {
    NodeId to = session.otherCoordinator();
    if (to != null && own.installed() == null && quorumLoss.isUnexplained()) {
      effects.send(to, new StatusRequest(hellos.view().mark()));
    }
  }

  private boolean isDue(long lastNanos, long periodNanos) {
    return lastNanos == MemberProgress.NEVER || nowNanos - lastNanos >= periodNanos;
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

  private boolean install(TableDelta delta, SegmentTable next) {
    boolean leaves = leaving.contains(self);
    boolean acts = next.member(self) != null || (leaves && decides());
    if (acts && !ended) {
      requests.installed(next, nowNanos);
      quorumLoss.taken();
      effects.install(delta, next);
      takenOut = false;
      installedNanos = nowNanos;
    } else {
      takenOut = leaves && own.installed() != null;
    }
    return acts;
  }

  /**
   * Whether this node decides on tables. It takes the first table of another one that decides
   * before its session knows that it does not any more.
   */
  private boolean decides() {
    return session.coordinating() != null && Epoch.isBallotOf(own.promisedBallot(), self);
  }

  /**
   * A coordinator leaves when all others have the table without it. Another node leaves when the
   * newest table that it knows to be in force lacks it, also if that was so before it wished to
   * leave. One before that lacked it does not suffice, nor one before the newest that it has
   * stored: a coordinator that did not know of the wish may have taken it in again, and needs it
   * for a quorum from then on.
   */
  private void leaveIfDone() {
    if (!leaving.contains(self)) {
      return;
    }
    boolean alone = hellos.peers().isEmpty() || own.installed() == null;
    boolean out = (takenOut || isOut()) && !isTakenInAgain();
    if (alone || out || session.handedOver()) {
      end(effects::left);
    }
  }

  private boolean isTakenInAgain() {
    SegmentTable newest = own.log().newest();
    return newest != null && newest.member(self) != null;
  }

  private boolean isOut() {
    SegmentTable present = own.installed();
    SegmentTable inForce = own.inForce();
    return present != null
        && inForce != null
        && present.member(self) != null
        && inForce.member(self) == null;
  }

  // ---- What is told

  private void tellLease() {
    boolean free = own.installed() == null || settings.split() == SplitPolicy.ALLOW;
    long untilNanos = free ? Lease.ALWAYS : own.lease().untilNanos();
    if (untilNanos != toldLeaseNanos) {
      toldLeaseNanos = untilNanos;
      effects.lease(untilNanos);
    }
  }

  private void tellCoordinating(boolean coordinates) {
    if (coordinates != toldCoordinating) {
      toldCoordinating = coordinates;
      effects.coordinating(coordinates);
    }
  }

  /**
   * Whether nobody in the view can be expected to have a newer table, in which those in reach may
   * be enough, nor a newer view to come, with nodes that a table of which others have told has
   * already. What is served meanwhile is a matter of leases.
   */
  private boolean knowsItsView() {
    boolean told = installedNanos != MemberProgress.NEVER && installedNanos - enteredNanos > 0;
    boolean waited = nowNanos - (told ? installedNanos : enteredNanos) >= settings.leaseNanos();
    return waited
        || (!told
            && hellos.areComplete()
            && hellos.summary(Set.of()).newestInForce() <= own.inForceEpoch());
  }

  private void end(Runnable last) {
    ended = true;
    last.run();
  }
}
