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
 * <p>It takes office in two steps (P6), {@link RollCall} and {@link Levelling}; then it serves, as
 * soon as the lanes of all other caches have got through the first step, too ({@link Recoveries}).
 * A node that was primary before takes office anew whenever the owners change: it cannot know
 * whether another was primary in between.
 *
 * <p>Operations become mutations, and get their results, at the {@link Counter}; the {@link
 * Outboxes} bring mutations to the backups. A write is acknowledged when every owner has a copy and
 * has applied it, and so has every node that is ready to become an owner: what is acknowledged has
 * as many copies as the segment has owners. While an owner is being filled in its place, reads go
 * on and writes wait.
 */
public final class Primary {
  private final Letters letters;
  private final Surroundings around;
  private final SegmentHistory history;
  private final Roll roll;
  private final RollCall rollCall;
  private final Levelling levelling;
  private final Counter counter;
  private final Reservations reservations;
  private final Outboxes outboxes;
  private final Feeds feeds;
  private final long term;
  private Phase phase = Phase.COLLECTING;

  /** Whether this node has all that was acknowledged before; read by other lanes. */
  private volatile boolean recovered;

  private enum Phase {
    COLLECTING,
    LEVELLING,
    SERVING
  }

  public Primary(Letters letters, Surroundings around, SegmentHistory history, Turn turn) {
    LaneSettings settings = around.settings();
    this.letters = letters;
    this.term = letters.table().segmentEpoch(letters.segment());
    this.around = around;
    this.history = history;
    this.roll = new Roll(letters, around, history, turn.nowNanos());
    this.rollCall = new RollCall(roll, letters, settings, history);
    this.counter = new Counter(letters, settings, history);
    this.reservations = new Reservations(settings);
    this.outboxes = new Outboxes(roll, letters, around, history, turn);
    this.feeds = outboxes.feeds();
    this.levelling = new Levelling(roll, letters, history, outboxes, counter);
  }

  // ---- Taking office

  public void begin(Turn turn) {
    rollCall.begin(turn);
    proceed(turn);
  }

  /** The table has changed, but not the owners of this segment. */
  public void renew(SegmentTable newer, Turn turn) {
    letters.renew(newer);
    roll.renew(newer);
    if (phase == Phase.COLLECTING) {
      rollCall.askReturned(newer, turn);
    }
    counter.renew(newer);
    reservations.forgetStrangers(newer);
  }

  /** The operations that still wait when the office ends. */
  public List<Operation> waiting() {
    List<Operation> all = reservations.waiting();
    counter.waiting().forEach(all::add);
    return all;
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
    if (phase == Phase.COLLECTING && rollCall.heard(from, message, turn)) {
      proceed(turn);
    }
  }

  private void proceed(Turn turn) {
    if (phase == Phase.COLLECTING && rollCall.conclude(turn)) {
      phase = Phase.LEVELLING;
      history.becomeWhole(term);
      history.replica().become(ReplicaState.OWNER);
      levelling.begin(turn);
      recovered = true;
      if (around.recoveries().complete(letters.segment(), term)) {
        turn.wakeOtherCaches();
      }
    }
    settle(turn);
    if (phase == Phase.LEVELLING
        && outboxes.levelSequence() == history.appliedSequence()
        && around.lease().valid()
        && around.recoveries().complete(letters.segment(), term)) {
      serve(turn);
    }
    if (phase == Phase.SERVING && roll.allWhole() && around.lease().valid()) {
      counter.confirmed(turn);
    }
  }

  /** Another cache of this segment has recovered, too, perhaps the last. */
  public void othersRecovered(Turn turn) {
    proceed(turn);
  }

  /**
   * Whether this node has all that was acknowledged before an epoch, at which the segment got its
   * present owners. Called from any thread.
   */
  public boolean recoveredUnder(long segmentEpoch) {
    return recovered && term == segmentEpoch;
  }

  private void serve(Turn turn) {
    phase = Phase.SERVING;
    history.served(term);
    levelling.tellAll(turn);
    levelling.release(turn);
    RunningFill task = around.fills().of(letters.segment());
    if (task != null) {
      feed(task, turn);
    }
    for (Operation next = counter.next(); next != null; next = counter.next()) {
      serve(next, turn);
    }
    feeds.pump(turn);
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
    } else if (counter.admits(operation, turn)) {
      admitted(operation, turn);
    }
  }

  /** Carries out a mutation unless it was, or has to wait until others had their turn. */
  private void admitted(Operation operation, Turn turn) {
    if (counter.repeated(operation.id(), roll.allWhole(), turn)) {
      return;
    }
    if (!reservations.holdsUp(operation, turn.nowNanos())) {
      carryOut(operation, turn);
    } else if (!reservations.keep(operation)) {
      counter.answer(operation.id(), Outcome.STALE, turn);
    }
    carryOutWaiting(operation.key(), turn);
  }

  private void carryOutWaiting(byte[] key, Turn turn) {
    for (Operation next = reservations.next(key, turn.nowNanos());
        next != null;
        next = reservations.next(key, turn.nowNanos())) {
      if (counter.admits(next, turn) && !counter.repeated(next.id(), roll.allWhole(), turn)) {
        carryOut(next, turn);
      }
    }
  }

  private void carryOut(Operation operation, Turn turn) {
    if (history.forgotten(operation.id())) {
      counter.answer(operation.id(), Outcome.UNKNOWN, turn);
    } else if (outboxes.copies() < around.settings().minOwners()) {
      counter.answer(operation.id(), Outcome.UNAVAILABLE, turn);
    } else if (memoryFull(operation)) {
      counter.answer(operation.id(), Outcome.MEMORY_FULL, turn);
    } else if (outboxesFull(turn)) {
      counter.answer(operation.id(), Outcome.STALE, turn);
    } else if (counter.carryOut(operation, turn)) {
      reservations.carriedOut(operation, counter.lastApplied(), turn.nowNanos());
      publish(turn);
    }
  }

  private boolean memoryFull(Operation operation) {
    byte[] value = operation.value();
    return value != null
        && operation.kind().writesValue()
        && !around
            .memory()
            .admit(letters.table(), letters.segment(), operation.key().length + value.length);
  }

  private boolean outboxesFull(Turn turn) {
    if (outboxes.isFull()) {
      feeds.shed(counter.acknowledgedSequence(), turn);
      settle(turn);
    }
    return outboxes.isFull();
  }

  /** Carries out a mutation that nobody asked for. */
  public void mutate(Mutation.Change change, byte[] key, Turn turn) {
    counter.carryOut(change, key);
    publish(turn);
  }

  /** Whether there is room for mutations that nobody asked for. */
  public boolean idle() {
    return phase == Phase.SERVING && !outboxes.isFull();
  }

  private void publish(Turn turn) {
    outboxes.publish(turn);
    settle(turn);
  }

  /** Answers what every owner has applied by now, and whoever is about to become one. */
  private void settle(Turn turn) {
    if (phase == Phase.COLLECTING) {
      return;
    }
    long applied = Math.min(outboxes.confirmedSequence(), feeds.countedSequence());
    if (applied > counter.acknowledgedSequence() && ownersKnow(applied) && around.lease().valid()) {
      counter.acknowledge(applied, turn);
    }
    history.stable(Math.min(counter.acknowledgedSequence(), feeds.confirmedSequence()));
  }

  /**
   * Whether each owner can tell on its own that it has everything, if it has a mutation: because it
   * has said so, or because the mutation is of this term.
   */
  private boolean ownersKnow(long sequence) {
    return history.recent().get(sequence).term() == term || roll.allWhole();
  }

  // ---- Backups

  /**
   * A backup has told how far it has applied the history, or a former owner asks to be released.
   */
  public void replicated(NodeId from, Replicated message, Turn turn) {
    if (phase == Phase.COLLECTING) {
      rollCall.appeared(from, turn); // It is asked for its history, which says more.
      return;
    }
    Follower follower = roll.follower(from);
    if (follower != null && !follower.filling()) {
      confirmed(follower, message.sequence(), message.whole(), message.missing(), turn);
    } else if (follower == null && phase == Phase.SERVING) {
      levelling.answer(from, turn);
    }
  }

  private void confirmed(
      Follower follower, long sequence, boolean whole, boolean missing, Turn turn) {
    outboxes.confirmed(follower, sequence, missing, turn);
    if (whole) {
      follower.becomeWhole();
    }
    proceed(turn);
    if (phase == Phase.SERVING) {
      levelling.tell(follower, turn);
      levelling.release(turn);
    }
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
      outboxes.filled(follower, feed, turn);
      proceed(turn);
      if (phase == Phase.SERVING) {
        levelling.tell(follower, turn);
      }
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
        outboxes.fillInPlace(follower, turn);
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

  /** Fills the destinations in this lane too. */
  public void fill(RunningFill task, Turn turn) {
    if (phase == Phase.SERVING) {
      feed(task, turn);
    }
  }

  /** A fill of former owners may not have been ended yet; its destinations may be owners by now. */
  private void feed(RunningFill task, Turn turn) {
    for (NodeId destination : task.order().destinations()) {
      if (roll.follower(destination) == null) {
        feeds.begin(task, destination, turn);
      }
    }
  }

  /** Whether the destinations of a fill could take this lane over. */
  public boolean keepUp(RunningFill task, long maxLag) {
    return phase == Phase.SERVING && feeds.keepUp(task, counter.acknowledgedSequence(), maxLag);
  }

  /** Whether the destinations of a fill have all that was acknowledged. */
  public boolean isLevel(RunningFill task) {
    return phase == Phase.SERVING && feeds.isLevel(task, counter.acknowledgedSequence());
  }

  /** Sends learners what there is room for now. */
  public void pump(Turn turn) {
    feeds.pump(turn);
  }

  // ---- Time and connections

  public void disconnected(NodeId node, Turn turn) {
    outboxes.disconnected(node, turn);
    reservations.release(node);
  }

  public void tick(Turn turn) {
    if (phase == Phase.COLLECTING) {
      rollCall.tick(turn);
    } else {
      outboxes.tick(turn);
    }
    if (phase == Phase.SERVING) {
      levelling.tick(around.settings().resendNanos(), turn);
    }
    if (!reservations.isEmpty() && around.lease().valid()) {
      reservations.ended(turn.nowNanos()).forEach(key -> carryOutWaiting(key, turn));
    }
    proceed(turn);
    outboxes.announce(turn);
  }

  /** Whether it waits for something that a tick would move on. */
  public boolean unsettled() {
    return phase != Phase.SERVING
        || !reservations.isEmpty()
        || levelling.unsettled()
        || outboxes.unsettled();
  }
}
