package dev.headrace.rebalance.write.role;

import dev.headrace.rebalance.message.History;
import dev.headrace.rebalance.message.Learned;
import dev.headrace.rebalance.message.Mutation;
import dev.headrace.rebalance.message.Operation;
import dev.headrace.rebalance.message.OperationReply.Outcome;
import dev.headrace.rebalance.message.Replicated;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.write.fill.Feed;
import dev.headrace.rebalance.write.fill.Feeds;
import dev.headrace.rebalance.write.fill.RunningFill;
import dev.headrace.rebalance.write.history.LaneSettings;
import dev.headrace.rebalance.write.history.Letters;
import dev.headrace.rebalance.write.history.RecentMutations;
import dev.headrace.rebalance.write.history.SegmentHistory;
import dev.headrace.rebalance.write.history.Turn;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.ReplicaState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The primary's half of a lane, for as long as the segment's owners do not change. Its term is the
 * epoch at which they last did. Guarded by the lane.
 *
 * <p>It takes office in two steps (P6). <i>Collecting</i>: every other owner and every former one
 * says how far its history goes (see {@link Roll} for whom it need not hear), and what this node
 * lacks is fetched from whoever has most. <i>Levelling</i>: the others are sent what they lack; one
 * whose history is too far behind, or another one, gets a new copy in its place. Then it serves. A
 * node that was primary before takes office anew whenever the owners change: it cannot know whether
 * another was primary in between.
 *
 * <p>The outboxes of all backups are one list, {@link SegmentHistory#recent}, numbered by the
 * history itself; a {@link Follower} says which part of it is a backup's, a {@link Feed} which part
 * is a learner's. A write is acknowledged when every owner that has a copy has applied it; an owner
 * that is being filled has none, counts for nothing and serves nobody until it has caught up.
 */
public final class Primary {
  private final Letters letters;
  private final Surroundings around;
  private final LaneSettings settings;
  private final SegmentHistory history;
  private final Counter counter;
  private final Feeds feeds;
  private Roll roll;
  private Phase phase = Phase.COLLECTING;
  private long acknowledgedSequence;
  private long announcedSequence;
  private long lastMutationNanos;
  private boolean stuck;
  private boolean released;
  private boolean lossReported;
  private long lossReportedNanos;

  private enum Phase {
    COLLECTING,
    LEVELLING,
    SERVING
  }

  public Primary(Letters letters, Surroundings around, SegmentHistory history, Turn turn) {
    this.letters = letters;
    this.around = around;
    this.settings = around.settings();
    this.history = history;
    this.counter = new Counter(letters, settings, history);
    this.feeds = new Feeds(letters, history, around.fills(), settings.resendNanos());
    this.roll = new Roll(letters, around, history, turn.nowNanos());
    this.acknowledgedSequence = history.stableSequence();
    this.lastMutationNanos = turn.nowNanos();
  }

  // ---- Taking office

  public void begin(Turn turn) {
    for (Follower follower : roll.followers()) {
      askForHistory(follower, turn);
    }
    for (Follower former : roll.formers()) {
      askForHistory(former, turn);
    }
    proceed(turn);
  }

  /** The table has changed, but not the owners of this segment. */
  public void renew(SegmentTable newer) {
    letters.renew(newer);
    counter.renew(newer);
  }

  /** The operations that still wait when the office ends. */
  public Iterable<Operation> waiting() {
    return counter.waiting();
  }

  public boolean serving() {
    return phase == Phase.SERVING;
  }

  /** The office is over. */
  public void end() {
    feeds.end();
  }

  /** An owner, or a former one, has told its history, or a part of what this node lacks of it. */
  public void history(NodeId from, History message, Turn turn) {
    Follower one = roll.any(from);
    if (one == null || phase != Phase.COLLECTING) {
      return;
    }
    letters.cache().learn(message.format());
    roll.served(message.servedTerm());
    one.hear(message.sequence(), message.term(), message.whole(), turn.nowNanos());
    // Only now: a former owner of long ago may have gone another way than the others.
    boolean chosen =
        roll.complete(letters.table(), turn.nowNanos())
            && roll.ahead(history.appliedTerm(), history.appliedSequence()) == one;
    if (chosen && isNext(message)) {
      take(message);
    } else if (chosen && isGone(message)) {
      reportGap(one, turn);
    }
    proceed(turn);
  }

  private boolean isNext(History message) {
    return message.afterTerm() == history.appliedTerm()
        && !message.mutations().isEmpty()
        && message.mutations().get(0).sequence() == history.appliedSequence() + 1;
  }

  private boolean isGone(History message) {
    return message.mutations().isEmpty()
        || message.mutations().get(0).sequence() > history.appliedSequence() + 1;
  }

  private void reportGap(Follower one, Turn turn) {
    if (!stuck) {
      stuck = true;
      turn.damaged(
          "%s has more of the history than its primary, but the part between is gone: give the segment to an owner that has it"
              .formatted(one.node()));
    }
  }

  private void take(History message) {
    for (Mutation mutation : message.mutations()) {
      history.apply(mutation);
    }
  }

  private void askForHistory(Follower follower, Turn turn) {
    turn.send(follower.node(), letters.historyRequest());
  }

  private void proceed(Turn turn) {
    if (phase == Phase.COLLECTING && roll.complete(letters.table(), turn.nowNanos())) {
      if (roll.isLost(history.appliedSequence())) {
        reportLoss(turn);
        return;
      }
      Follower best = roll.ahead(history.appliedTerm(), history.appliedSequence());
      if (best == null) {
        phase = Phase.LEVELLING;
        level(turn);
      } else if (best.askedBehind() != history.appliedSequence()) {
        best.askBehind(history.appliedSequence());
        askForHistory(best, turn);
      }
    }
    settle(turn);
    if (phase == Phase.LEVELLING
        && acknowledgedSequence == history.appliedSequence()
        && around.lease().valid()) {
      serve(turn);
    }
  }

  private void reportLoss(Turn turn) {
    if (!lossReported || turn.nowNanos() - lossReportedNanos >= settings.resendNanos()) {
      lossReported = true;
      lossReportedNanos = turn.nowNanos();
      turn.lost(letters.table().segmentEpoch(letters.segment()));
    }
  }

  private void level(Turn turn) {
    for (Follower follower : roll.followers()) {
      boolean sameHistory =
          follower.confirmedSequence() <= history.appliedSequence()
              && history.recent().term(follower.confirmedSequence()) == follower.term();
      if (sameHistory) {
        push(follower, turn);
      } else {
        fillInPlace(follower, turn);
      }
    }
  }

  private void fillInPlace(Follower follower, Turn turn) {
    follower.beginFilling();
    feeds.beginInPlace(follower.node(), turn);
  }

  private void serve(Turn turn) {
    phase = Phase.SERVING;
    history.served(letters.table().segmentEpoch(letters.segment()));
    history.becomeWhole();
    history.replica().become(ReplicaState.OWNER);
    roll.followers().forEach(follower -> tellLevel(follower, turn));
    release(turn);
    RunningFill task = around.fills().of(letters.segment());
    if (task != null) {
      feed(task, turn);
    }
    for (Operation next = counter.next(); next != null; next = counter.next()) {
      serve(next, turn);
    }
    feeds.pump(turn);
  }

  /** An owner that has everything by now may be read. */
  private void tellLevel(Follower follower, Turn turn) {
    if (phase == Phase.SERVING
        && !follower.whole()
        && !follower.filling()
        && follower.confirmedSequence() >= acknowledgedSequence) {
      turn.send(follower.node(), letters.levelled(follower.fill()));
    }
  }

  /**
   * Former owners may forget what they have when every owner knows that it has everything: until
   * then only they could say so if this node failed.
   */
  private void release(Turn turn) {
    if (phase == Phase.SERVING && !released && roll.allWhole()) {
      released = true;
      roll.formers().forEach(former -> turn.send(former.node(), letters.settled(0)));
    }
  }

  // ---- Operations

  public void operation(Operation operation, Turn turn) {
    if (phase == Phase.SERVING) {
      serve(operation, turn);
    } else {
      counter.keep(operation, turn);
    }
  }

  private void serve(Operation operation, Turn turn) {
    if (!around.lease().valid()) {
      counter.answer(operation.id(), Outcome.STALE, turn);
    } else if (operation.kind() == Operation.Kind.COUNT) {
      counter.count(operation.id(), turn);
    } else if (!counter.repeated(operation.id(), acknowledgedSequence, turn)) {
      carryOut(operation, turn);
    }
  }

  private void carryOut(Operation operation, Turn turn) {
    if (history.forgotten(operation.id())) {
      counter.answer(operation.id(), Outcome.UNKNOWN, turn);
    } else if (holders() < settings.minOwners()) {
      counter.answer(operation.id(), Outcome.UNAVAILABLE, turn);
    } else if (outboxFull(turn)) {
      counter.answer(operation.id(), Outcome.STALE, turn);
    } else if (counter.carryOut(operation, turn)) {
      publish(turn);
    }
  }

  private int holders() {
    int holders = 1;
    for (Follower follower : roll.followers()) {
      holders += follower.filling() ? 0 : 1;
    }
    return holders;
  }

  private boolean outboxFull(Turn turn) {
    if (isFull()) {
      feeds.shed(acknowledgedSequence, turn);
      settle(turn);
    }
    return isFull();
  }

  private boolean isFull() {
    RecentMutations outbox = history.recent();
    return outbox.size() >= settings.maxOutboxEntries()
        || outbox.bytes() >= settings.maxOutboxBytes();
  }

  /** Carries out a mutation that nobody asked for. */
  public void mutate(Mutation.Change change, byte[] key, Turn turn) {
    counter.carryOut(change, key);
    publish(turn);
  }

  /** Whether there is room for mutations that nobody asked for. */
  public boolean idle() {
    return phase == Phase.SERVING && !isFull();
  }

  private void publish(Turn turn) {
    lastMutationNanos = turn.nowNanos();
    for (Follower follower : roll.followers()) {
      push(follower, turn);
    }
    feeds.pump(turn);
    settle(turn);
  }

  // ---- Backups

  /**
   * A backup has told how far it has applied the history, or a former owner asks to be released.
   */
  public void replicated(NodeId from, Replicated message, Turn turn) {
    Follower one = roll.any(from);
    if (phase == Phase.COLLECTING) {
      if (one != null) {
        roll.served(message.servedTerm());
        one.hear(message.sequence(), message.term(), message.whole(), turn.nowNanos());
      }
      proceed(turn);
      return;
    }
    Follower follower = roll.follower(from);
    if (follower == null) {
      answerFormer(from, turn);
    } else if (!follower.filling()) {
      confirmed(follower, message.sequence(), message.whole(), message.missing(), turn);
    }
  }

  private void answerFormer(NodeId former, Turn turn) {
    if (phase == Phase.SERVING && roll.allWhole()) {
      turn.send(former, letters.settled(0));
    } else {
      // Perhaps they have been told and their answers were lost.
      roll.followers().forEach(follower -> tellLevel(follower, turn));
    }
  }

  private void confirmed(
      Follower follower, long sequence, boolean whole, boolean missing, Turn turn) {
    if (sequence > history.appliedSequence()) {
      throw new IllegalStateException(
          "%s has mutation %d of segment %d, but its primary only %d"
              .formatted(follower.node(), sequence, letters.segment(), history.appliedSequence()));
    }
    follower.confirm(sequence, turn.nowNanos());
    if (whole) {
      follower.becomeWhole();
    }
    if (missing) {
      follower.sendAgain(turn.nowNanos());
    }
    push(follower, turn);
    proceed(turn);
    tellLevel(follower, turn);
    release(turn);
  }

  /** A learner has told how far it is. */
  public void learned(NodeId from, Learned message, Turn turn) {
    if (phase == Phase.COLLECTING) {
      return;
    }
    Follower follower = roll.follower(from);
    Feed feed = feeds.learned(from, message, turn);
    if (feed == null) {
      learnedBefore(from, follower, message, turn);
    } else if (follower != null && feed.complete()) {
      feeds.finished(feed);
      follower.endFilling(feed.fill(), feed.confirmedSequence(), turn.nowNanos());
      push(follower, turn);
      proceed(turn);
      tellLevel(follower, turn);
    } else {
      proceed(turn);
    }
  }

  /** Somebody speaks of a fill that is over here. */
  private void learnedBefore(NodeId from, @Nullable Follower follower, Learned message, Turn turn) {
    if (follower == null) {
      turn.send(from, letters.settled(message.fill()));
    } else if (!follower.filling() && message.fill() == follower.fill()) {
      if (message.complete()) {
        confirmed(follower, message.sequence(), false, message.missing(), turn);
      } else if (message.chunks() == 0) {
        fillInPlace(follower, turn);
        proceed(turn);
      }
    }
  }

  /** The backups that have everything. */
  public List<NodeId> copies() {
    List<NodeId> copies = new ArrayList<>(roll.followers().size());
    for (Follower follower : roll.followers()) {
      if (follower.whole() && !follower.filling()) {
        copies.add(follower.node());
      }
    }
    return copies;
  }

  // ---- Fills

  /** Fills the destination in this lane too. */
  public void fill(RunningFill task, Turn turn) {
    if (phase == Phase.SERVING) {
      feed(task, turn);
    }
  }

  /**
   * A fill of former owners may not have been ended yet; its destination may be an owner by now.
   */
  private void feed(RunningFill task, Turn turn) {
    if (roll.follower(task.order().destination()) == null) {
      feeds.begin(task, turn);
    }
  }

  /** Whether the destination of a fill could take this lane over. */
  public boolean keepsUp(RunningFill task, long maxLag) {
    return phase == Phase.SERVING && feeds.keepsUp(task, acknowledgedSequence, maxLag);
  }

  // ---- Time and connections

  public void disconnected(NodeId node, Turn turn) {
    Follower follower = roll.any(node);
    if (follower != null) {
      follower.sendAgain(turn.nowNanos());
    }
    feeds.disconnected(node, turn);
  }

  public void tick(Turn turn) {
    if (phase == Phase.COLLECTING) {
      roll.followers().forEach(follower -> askAgain(follower, turn));
      roll.formers().forEach(former -> askAgain(former, turn));
    } else {
      for (Follower follower : roll.followers()) {
        if (!follower.filling()
            && follower.confirmedSequence() < history.appliedSequence()
            && follower.idleNanos(turn.nowNanos()) >= settings.resendNanos()) {
          follower.sendAgain(turn.nowNanos());
          push(follower, turn);
        }
      }
      feeds.tick(turn);
    }
    proceed(turn);
    long quietNanos = turn.nowNanos() - lastMutationNanos;
    if (history.recent().size() == 0
        && announcedSequence < history.stableSequence()
        && quietNanos >= settings.quietNanos()) {
      announce(turn);
    }
  }

  private void askAgain(Follower one, Turn turn) {
    if (one.idleNanos(turn.nowNanos()) < settings.resendNanos()) {
      return;
    }
    boolean ahead =
        one.term() > history.appliedTerm() || one.confirmedSequence() > history.appliedSequence();
    if (!one.heard() || ahead) {
      one.sendAgain(turn.nowNanos());
      askForHistory(one, turn);
    }
  }

  /** Whether it waits for something that a tick would move on. */
  public boolean unsettled() {
    return phase != Phase.SERVING
        || history.recent().size() > 0
        || !feeds.isEmpty()
        || (announcedSequence < history.stableSequence() && !roll.followers().isEmpty());
  }

  private void announce(Turn turn) {
    announcedSequence = history.stableSequence();
    for (Follower follower : roll.followers()) {
      if (!follower.filling()) {
        turn.send(follower.node(), letters.settled(0));
      }
    }
  }

  private void push(Follower follower, Turn turn) {
    if (follower.filling()) {
      return;
    }
    long end =
        Math.min(
            history.appliedSequence(), follower.confirmedSequence() + LaneSettings.MAX_IN_FLIGHT);
    for (long next = follower.sentSequence() + 1; next <= end; next++) {
      turn.send(follower.node(), letters.replicate(history.recent().get(next)));
      follower.sent(next, turn.nowNanos());
    }
  }

  /** Answers what every owner with a copy has applied by now. */
  private void settle(Turn turn) {
    if (phase == Phase.COLLECTING) {
      return;
    }
    long applied = history.appliedSequence();
    for (Follower follower : roll.followers()) {
      applied = follower.filling() ? applied : Math.min(applied, follower.confirmedSequence());
    }
    if (applied > acknowledgedSequence && around.lease().valid()) {
      for (long next = acknowledgedSequence + 1; next <= applied; next++) {
        counter.reply(history.recent().get(next), turn);
      }
      acknowledgedSequence = applied;
    }
    history.stable(Math.min(acknowledgedSequence, feeds.confirmedSequence()));
  }
}
