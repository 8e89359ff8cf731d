package dev.headrace.replication.role;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.copy.RunningCopy;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.replication.message.EncodedEntries;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.ResultWindow;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.ReplicaState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The primary's role, for as long as the segment's owners do not change; its term is the epoch at
 * which they last did. Guarded by the lane.
 *
 * <pre>
 * state       event            guard                             next        effects
 * ----------  ---------------  --------------------------------  ----------  ----------------------
 * (none)      new owners                                         COLLECTING  HistoryRequest to all
 *                                                                            in the RecoverySet
 * COLLECTING  History          somebody has more                 COLLECTING  asked for the rest
 * COLLECTING  History, tick    all heard, but nobody has all     COLLECTING  the loss is reported
 *                              that was acknowledged
 * COLLECTING  History, tick    this node has all                 CATCHING_UP Replicate, BeginCopy
 * CATCHING_UP Replicated,      all with a copy have caught up,   SERVING     InSync; what waits is
 *             Learned, tick    with a lease, and all caches of               carried out
 *                              the segment are that far
 * SERVING     Operation        with a lease, no repetition, no   SERVING     Replicate
 *                              reservation, and enough room
 * SERVING     decision of a    the entry is the one that the     SERVING     Replicate (see
 *             processor        processor was given                           Processors)
 * SERVING     Replicated,      every owner has a mutation, and   SERVING     OperationReply
 *             Learned          whoever is about to be one
 * SERVING     Replicated       every owner is in sync            SERVING     Settled to former
 *                                                                            owners
 * SERVING     copy             the destination is no owner       SERVING     BeginCopy
 * not SERVING Operation                                          the same    waits
 * any         other owners                                       (ends)      what waits is refused
 * </pre>
 *
 * <p>It becomes primary in two steps (P6), {@link HistoryRecovery} and {@link CatchUp}; then it
 * serves, as soon as the lanes of all other caches have got through the first step, too ({@link
 * Recoveries}). A node that was primary before becomes primary anew whenever the owners change: it
 * cannot know whether another was primary in between.
 *
 * <p>The {@link OperationProcessor} decides what operations change, and hands out results; the
 * {@link Replicator} brings mutations to the others. A write is acknowledged when every owner has a
 * copy and has applied it, and so has every node that is ready to become an owner: what is
 * acknowledged has as many copies as the segment has owners. While an owner is being copied to in
 * its place, reads go on and writes wait. One that has been carried out when the owners become
 * fewer than writes need is told of when there are enough again.
 */
public final class Primary extends Role {
  private final RecoverySet recoverySet;
  private final HistoryRecovery recovery;
  private final CatchUp catchUp;
  private final OperationProcessor processor;
  private final Reservations reservations;
  private final Processors processors;
  private final Replicator replicator;
  private final long term;
  private Phase phase = Phase.COLLECTING;

  /** Whether this node has all that was acknowledged before; read by other lanes. */
  private volatile boolean recovered;

  private enum Phase {
    COLLECTING,
    CATCHING_UP,
    SERVING
  }

  public Primary(MessageFactory messages, LaneContext around, Effects effects) {
    super(messages, around);
    LaneSettings settings = around.settings();
    this.term = messages.table().segmentEpoch(messages.segment());
    this.recoverySet = new RecoverySet(messages, around, history, effects.nowNanos());
    this.recovery = new HistoryRecovery(recoverySet, messages, settings, history);
    this.processor = new OperationProcessor(messages, settings, history);
    this.reservations = new Reservations(settings);
    this.processors = new Processors(settings, history);
    this.replicator =
        new Replicator(recoverySet.otherOwners(), messages, around, effects.nowNanos());
    this.catchUp = new CatchUp(recoverySet, messages, history, replicator, processor);
  }

  // ---- Becoming primary

  @Override
  public void begin(Effects effects) {
    recovery.begin(effects);
    proceed(effects);
  }

  /** The table has changed, but not the owners of this segment. */
  @Override
  public void renew(SegmentTable newer, Effects effects) {
    messages.renew(newer);
    recoverySet.renew(newer);
    if (phase == Phase.COLLECTING) {
      recovery.askReturned(newer, effects);
    }
    processor.renew(newer);
    reservations.forgetStrangers(newer);
  }

  /** The operations that still wait when this node is primary no longer. */
  @Override
  public List<Operation> waiting() {
    List<Operation> all = reservations.waiting();
    all.addAll(processors.waiting());
    processor.waiting().forEach(all::add);
    return all;
  }

  public boolean serving() {
    return phase == Phase.SERVING;
  }

  /** An owner, or a former one, has told its history, or a part of what this node lacks of it. */
  @Override
  void history(NodeId from, History message, Effects effects) {
    if (phase == Phase.COLLECTING && recovery.heard(from, message, effects)) {
      proceed(effects);
    }
  }

  private void proceed(Effects effects) {
    if (phase == Phase.COLLECTING && recovery.conclude(effects)) {
      phase = Phase.CATCHING_UP;
      history.becomeInSync(term);
      history.replica().become(ReplicaState.OWNER);
      catchUp.begin(effects);
      recovered = true;
      if (around.recoveries().complete(messages.segment(), term)) {
        effects.wakeOtherCaches();
      }
    }
    if (phase == Phase.CATCHING_UP
        && replicator.levelSequence() == history.appliedSequence()
        && mayAnswer()
        && around.recoveries().complete(messages.segment(), term)) {
      serve(effects);
    }
    settle(effects);
    if (phase == Phase.SERVING && processor.hasUnconfirmed() && mayRepeat() && mayAnswer()) {
      processor.confirmed(effects);
    }
  }

  private boolean mayAnswer() {
    return around.lease().permits(messages.segment(), term);
  }

  /** Another cache of this segment has recovered, too, perhaps the last. */
  @Override
  public void othersRecovered(Effects effects) {
    proceed(effects);
  }

  /**
   * Whether this node has all that was acknowledged before an epoch, at which the segment got its
   * present owners. Called from any thread.
   */
  @Override
  public boolean recoveredUnder(long segmentEpoch) {
    return recovered && term == segmentEpoch;
  }

  private void serve(Effects effects) {
    phase = Phase.SERVING;
    history.served(term);
    catchUp.tellAll(effects);
    catchUp.release(effects);
    RunningCopy task = around.runningCopies().of(messages.segment());
    if (task != null) {
      laneCopy(task, effects);
    }
    for (Operation next = processor.next(); next != null; next = processor.next()) {
      serve(next, effects);
    }
  }

  // ---- Operations

  @Override
  public void operation(Operation operation, Effects effects) {
    if (operation.kind() != Operation.Kind.CLEAR) {
      messages.cache().learn(operation.format());
    }
    if (phase == Phase.SERVING) {
      serve(operation, effects);
    } else {
      processor.keep(operation, effects);
    }
  }

  private void serve(Operation operation, Effects effects) {
    if (!mayAnswer()) {
      processor.answer(operation.id(), Outcome.STALE, effects);
    } else if (processor.admits(operation, effects)) {
      admitted(operation, effects);
    }
  }

  /** Carries out a mutation unless it was, or has to wait until others had their turn. */
  private void admitted(Operation operation, Effects effects) {
    if (repeated(operation.id(), effects)) {
      return;
    }
    // Of several entries none waits for others: a reservation is about fairness only.
    if (!reservations.holdsUp(operation, effects.nowNanos())) {
      carryOut(operation, effects);
    } else if (!reservations.keep(operation)) {
      processor.answer(operation.id(), Outcome.STALE, effects);
    }
    carryOutWaiting(operation.key(), effects);
  }

  private void carryOutWaiting(byte[] key, Effects effects) {
    for (Operation next = reservations.next(key, effects.nowNanos());
        next != null;
        next = reservations.next(key, effects.nowNanos())) {
      if (processor.admits(next, effects) && !repeated(next.id(), effects)) {
        carryOut(next, effects);
      }
    }
  }

  /** Whether an operation was carried out before, so that its result is told now or later. */
  private boolean repeated(OperationId id, Effects effects) {
    ResultWindow.Result known = history.find(id);
    if (known != null) {
      processor.repeat(id, known, mayRepeat(), effects);
    }
    return known != null;
  }

  private void carryOut(Operation operation, Effects effects) {
    var unused = carryOut(operation, null, effects);
  }

  /**
   * @param decision what a processor has decided, which the operation does; null for none
   * @return false if nothing was done since the entry about which it was decided has expired
   */
  private boolean carryOut(Operation operation, @Nullable EntryDecision decision, Effects effects) {
    if (history.forgotten(operation.id())) {
      processor.answer(operation.id(), Outcome.UNKNOWN, effects);
    } else if (!enoughOwners()) {
      processor.answer(operation.id(), Outcome.UNAVAILABLE, effects);
    } else if (memoryFull(operation, effects)) {
      return true; // its caller has been told
    } else if (outboxesFull(effects)) {
      processor.answer(operation.id(), Outcome.STALE, effects);
    } else if (operation.kind() != Operation.Kind.PROCESS) {
      Mutation mutation = processor.decide(operation, effects);
      if (mutation != null) {
        if (decision != null && Processors.changes(operation) && !mutation.applied()) {
          return false;
        }
        apply(
            operation,
            decision == null ? mutation : mutation.answering(decision.answer()),
            effects);
      }
    } else if (!processors.begin(operation, effects)) {
      processor.answer(operation.id(), Outcome.STALE, effects);
    }
    return true;
  }

  private void apply(Operation operation, Mutation mutation, Effects effects) {
    history.apply(mutation);
    reservations.carriedOut(operation, mutation.applied(), effects.nowNanos());
    publish(effects);
  }

  /**
   * A processor has run.
   *
   * @param decision null if the node has no thread for it
   */
  public void processed(ProcessorRun run, @Nullable EntryDecision decision, Effects effects) {
    Processors.Processing processing = processors.find(run);
    if (processing == null) {
      return; // its caller has been told
    }
    byte[] key = run.operation().key();
    if (decision == null || !mayAnswer()) {
      for (Operation each : processors.give(key)) {
        processor.answer(each.id(), Outcome.STALE, effects);
        reservations.ended(each);
      }
      return; // what waits for the key is carried out with the next tick, if it may be
    }
    boolean overtaken = processors.isOvertaken(run);
    try {
      overtaken = overtaken || !decided(processing, run, decision, effects);
    } finally { // whatever has failed, the next ones of the key do not wait
      if (overtaken) {
        runAgain(processing, effects);
      } else {
        processors.end(processing, effects);
        reservations.ended(processing.operation());
        carryOutWaiting(key, effects);
      }
    }
  }

  /** Returns false if the entry is another than the one that the processor was given. */
  private boolean decided(
      Processors.Processing processing, ProcessorRun run, EntryDecision decision, Effects effects) {
    Operation decided = Processors.decided(processing, run, decision);
    processing.takeEarlier().forEach(each -> processor.answer(each.id(), Outcome.STALE, effects));
    return !processor.admits(decided, effects) || carryOut(decided, decision, effects);
  }

  private void runAgain(Processors.Processing processing, Effects effects) {
    if (processors.runAgain(processing, effects)) {
      reservations.reserveForRun(processing.operation(), effects.nowNanos());
    }
  }

  /** Refuses an operation for which an owner has no room. */
  private boolean memoryFull(Operation operation, Effects effects) {
    byte[] value = operation.value();
    if (value == null || !operation.kind().writesValue()) {
      return false;
    }
    SegmentTable table = messages.table();
    long bytes = (long) operation.key().length + value.length;
    int entries = operation.kind().ofMany() ? EncodedEntries.count(value) : 1;
    NodeId full = around.memory().fullOwner(table, messages.segment(), entries, bytes);
    if (full == null) {
      return false;
    }
    Member member = table.member(full);
    String name = member == null ? full.toString() : member.name();
    OperationId id = operation.id();
    effects.send(id.caller(), OperationReply.memoryFull(id, name, table.epoch()));
    return true;
  }

  private boolean outboxesFull(Effects effects) {
    if (replicator.isFull()) {
      replicator.shed(processor.acknowledgedSequence(), effects);
      settle(effects);
    }
    return replicator.isFull();
  }

  /** Carries out a mutation that nobody asked for. */
  public void mutate(Mutation.Change change, byte[] key, Effects effects) {
    long sequence = history.appliedSequence() + 1;
    history.apply(
        new Mutation(term, sequence, OperationId.NONE, change, key, null, 0, true, null, 0, 0, 0));
    publish(effects);
  }

  /** Whether there is room for mutations that nobody asked for. */
  public boolean idle() {
    return phase == Phase.SERVING && !replicator.isFull();
  }

  private void publish(Effects effects) {
    replicator.publish(effects);
    settle(effects);
  }

  /**
   * Answers what every owner has applied by now, and whoever is about to become one. Not before
   * this node serves: only then this lane takes part in a copy that is under way. Its destinations
   * may become owners at any moment, and then need what earlier terms have written, too.
   */
  private void settle(Effects effects) {
    if (phase != Phase.SERVING) {
      return;
    }
    long applied = Math.min(replicator.confirmedSequence(), replicator.countedSequence());
    if (applied > processor.acknowledgedSequence() && ownersKnow(applied) && mayAnswer()) {
      processor.acknowledge(applied, enoughOwners(), effects);
    }
    history.acknowledged(processor.acknowledgedSequence());
    history.stable(Math.min(processor.acknowledgedSequence(), replicator.neededBehind()));
  }

  /** Whether as many owners have copies as a write needs. */
  private boolean enoughOwners() {
    return replicator.copies() >= around.settings().minOwners();
  }

  /** Whether the result of an earlier mutation may be told now. */
  private boolean mayRepeat() {
    return recoverySet.allInSync() && enoughOwners();
  }

  /**
   * Whether each owner can tell on its own that it has everything, if it has a mutation: because it
   * has said so, or because the mutation is of this term.
   */
  private boolean ownersKnow(long sequence) {
    return history.recent().get(sequence).term() == term || recoverySet.allInSync();
  }

  // ---- Backups

  /**
   * A backup has told how far it has applied the history, or a former owner asks to be released.
   */
  @Override
  void replicated(NodeId from, Replicated message, Effects effects) {
    if (phase == Phase.COLLECTING) {
      recovery.appeared(from, effects); // It is asked for its history, which says more.
      return;
    }
    ReplicaProgress progress = recoverySet.progress(from);
    if (progress != null && !progress.copying()) {
      confirmed(progress, message.sequence(), message.inSync(), message.missing(), effects);
    } else if (progress == null && phase == Phase.SERVING) {
      catchUp.answer(from, effects);
    }
  }

  private void confirmed(
      ReplicaProgress progress, long sequence, boolean inSync, boolean missing, Effects effects) {
    replicator.confirmed(progress, sequence, missing, effects);
    if (inSync) {
      progress.becomeInSync();
    }
    proceed(effects);
    if (phase == Phase.SERVING) {
      catchUp.tell(progress, effects);
      catchUp.release(effects);
    }
  }

  /** A learner has told how far it is. */
  @Override
  void learned(NodeId from, Learned message, Effects effects) {
    if (phase == Phase.COLLECTING) {
      return;
    }
    ReplicaProgress copied = replicator.learned(from, message, effects);
    if (copied == null) {
      learnedBefore(from, recoverySet.progress(from), message, effects);
      return;
    }
    proceed(effects);
    if (copied.task() == null && phase == Phase.SERVING) {
      catchUp.tell(copied, effects);
    }
  }

  /** Somebody speaks of a copy that is over here. */
  private void learnedBefore(
      NodeId from, @Nullable ReplicaProgress progress, Learned message, Effects effects) {
    if (progress == null) {
      effects.send(from, messages.settled(message.copyNumber()));
    } else if (!progress.copying() && message.copyNumber() == progress.copyNumber()) {
      if (message.complete()) {
        confirmed(progress, message.sequence(), false, message.missing(), effects);
      } else if (!message.begun()) {
        replicator.copyInPlace(progress, effects);
        proceed(effects);
      }
    }
  }

  /** The backups that have everything. */
  public List<NodeId> copies() {
    List<NodeId> copies = new ArrayList<>(recoverySet.otherOwners().size());
    for (ReplicaProgress progress : recoverySet.otherOwners()) {
      if (progress.inSync() && !progress.copying()) {
        copies.add(progress.node());
      }
    }
    return copies;
  }

  // ---- Copies

  /** Copies to the destinations in this lane too. */
  @Override
  public void copy(RunningCopy task, Effects effects) {
    if (phase == Phase.SERVING) {
      laneCopy(task, effects);
    }
  }

  /** A copy of former owners may not have been ended yet; its destinations may be owners by now. */
  private void laneCopy(RunningCopy task, Effects effects) {
    for (NodeId destination : task.order().destinations()) {
      if (recoverySet.progress(destination) == null) {
        replicator.copy(task, destination, effects);
      }
    }
  }

  /** Whether the destinations of a copy could take this lane over. */
  @Override
  public boolean keepUp(RunningCopy task, long maxLag) {
    return phase == Phase.SERVING
        && replicator.keepUp(task, processor.acknowledgedSequence(), maxLag);
  }

  /** Whether the destinations of a copy have all that was acknowledged. */
  @Override
  public boolean isLevel(RunningCopy task) {
    return phase == Phase.SERVING && replicator.isLevel(task, processor.acknowledgedSequence());
  }

  // ---- Time and connections

  @Override
  public void disconnected(NodeId node, Effects effects) {
    replicator.disconnected(node, effects);
    recoverySet.disconnected(node, effects.nowNanos());
    reservations.release(node);
  }

  @Override
  public void tick(Effects effects) {
    if (phase == Phase.COLLECTING) {
      recovery.tick(effects);
    } else {
      replicator.tick(effects);
    }
    if (phase == Phase.SERVING) {
      catchUp.tick(around.settings().resendNanos(), effects);
    }
    if (!reservations.isEmpty() && mayAnswer()) {
      reservations.ended(effects.nowNanos()).forEach(key -> carryOutWaiting(key, effects));
    }
    proceed(effects);
    replicator.announce(effects);
  }

  /** Whether it waits for something that a tick would move on. */
  @Override
  public boolean unsettled() {
    return phase != Phase.SERVING
        || !reservations.isEmpty()
        || catchUp.unsettled()
        || replicator.unsettled();
  }
}
