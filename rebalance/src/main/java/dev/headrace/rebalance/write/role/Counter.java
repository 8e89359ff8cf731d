package dev.headrace.rebalance.write.role;

import dev.headrace.rebalance.message.CallerWindow;
import dev.headrace.rebalance.message.Mutation;
import dev.headrace.rebalance.message.Operation;
import dev.headrace.rebalance.message.OperationId;
import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.message.OperationReply.Outcome;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.write.history.LaneSettings;
import dev.headrace.rebalance.write.history.Letters;
import dev.headrace.rebalance.write.history.SegmentHistory;
import dev.headrace.rebalance.write.history.Turn;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.EntryLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a primary takes operations and hands out results: it turns operations into mutations, and
 * keeps those waiting that come before it may. Guarded by the lane.
 */
final class Counter {
  private final Letters letters;
  private final SegmentHistory history;
  private final WaitingOperations waiting;
  private final int maxWaiting;

  /** Results that are asked for again before every owner is known to have them. */
  private final List<OperationId> unconfirmed = new ArrayList<>(0);

  private long acknowledgedSequence;

  Counter(Letters letters, LaneSettings settings, SegmentHistory history) {
    this.letters = letters;
    this.history = history;
    this.waiting = new WaitingOperations(settings);
    this.maxWaiting = settings.maxWaiting();
    this.acknowledgedSequence = history.stableSequence();
  }

  // ---- Waiting

  /** Keeps an operation until there is a primary that serves, if there is room. */
  void keep(Operation operation, Turn turn) {
    if (!waiting.keep(operation)) {
      answer(operation.id(), Outcome.STALE, turn);
    }
  }

  /** The operations that still wait. */
  Iterable<Operation> waiting() {
    return waiting;
  }

  /** The operation that has waited longest, or null. */
  @Nullable Operation next() {
    return waiting.next();
  }

  /**
   * Forgets operations of callers that have left: their results are forgotten, so that they could
   * no longer be told from repetitions.
   */
  void renew(SegmentTable newer) {
    waiting.forgetStrangers(newer);
  }

  // ---- Serving

  /**
   * Whether a mutation was asked for under its caller's present admission. If not, it is refused:
   * the results of a caller that has left are forgotten, so that what it asked for before it came
   * back cannot be told from a repetition.
   */
  boolean admits(Operation operation, Turn turn) {
    long admittedAt = letters.table().admittedAt(operation.id().caller());
    if (operation.admission() == admittedAt && admittedAt != SegmentTable.NEVER) {
      return true;
    }
    boolean former =
        operation.admission() != SegmentTable.NEVER && operation.admission() < admittedAt;
    answer(operation.id(), former ? Outcome.UNKNOWN : Outcome.STALE, turn);
    return false;
  }

  /**
   * What a repetition was answered or will be; false if the operation was not carried out yet.
   *
   * <p>What an earlier term has acknowledged is answered when every owner knows that it has it, as
   * if it were acknowledged now: its caller may not have been told before, and the owners that
   * would be lost with it may have been fewer then.
   *
   * @param confirmed whether every owner has said that it has all that was acknowledged
   */
  boolean repeated(OperationId id, boolean confirmed, Turn turn) {
    CallerWindow.Result known = history.find(id);
    if (known == null) {
      return false;
    }
    // One that is not acknowledged yet is answered when it is.
    if (known.sequence() <= acknowledgedSequence) {
      if (!known.complete()) {
        answer(id, Outcome.UNKNOWN, turn);
      } else if (confirmed) {
        reply(id.caller(), known, turn);
      } else if (unconfirmed.size() < maxWaiting) {
        unconfirmed.add(id); // if there is no room, it is asked for again
      }
    }
    return true;
  }

  /** Every owner has said that it has all that was acknowledged. */
  void confirmed(Turn turn) {
    if (!unconfirmed.isEmpty()) {
      List<OperationId> ids = List.copyOf(unconfirmed);
      unconfirmed.clear();
      ids.forEach(id -> repeated(id, true, turn));
    }
  }

  void count(OperationId id, Turn turn) {
    long entries = history.replica().entries();
    turn.send(
        id.caller(),
        new OperationReply(
            id.sequence(), Outcome.DONE, true, null, 0, 0, entries, letters.table().epoch()));
  }

  /** Makes an operation the next mutation; false if it has been refused. */
  boolean carryOut(Operation operation, Turn turn) {
    long term = term();
    long sequence = history.appliedSequence() + 1;
    if (operation.kind().writesValue()) {
      byte[] value = Objects.requireNonNull(operation.value(), "value");
      long entryBytes =
          EntryLayout.entryBytes(
              operation.key().length, value.length, term, sequence, operation.expiryMillis());
      if (entryBytes > history.store().maxEntryBytes()) {
        answer(operation.id(), Outcome.TOO_LARGE, turn);
        return false;
      }
    }
    history.apply(
        Judge.judge(
            operation, history.replica(), history.position(operation.key()), term, sequence));
    return true;
  }

  /** Whether the last mutation changed anything. */
  boolean lastApplied() {
    return history.recent().get(history.appliedSequence()).applied();
  }

  /** Makes a mutation that nobody asked for. */
  void carryOut(Mutation.Change change, byte[] key) {
    long sequence = history.appliedSequence() + 1;
    history.apply(
        new Mutation(
            term(), sequence, OperationId.NONE, change, key, null, 0, true, null, 0, 0, 0));
  }

  private long term() {
    return letters.table().segmentEpoch(letters.segment());
  }

  void answer(OperationId id, Outcome outcome, Turn turn) {
    turn.refuse(id.caller(), id.sequence(), outcome, letters.table().epoch());
  }

  // ---- Acknowledging

  /** The last mutation that callers have been told of. */
  long acknowledgedSequence() {
    return acknowledgedSequence;
  }

  /** Answers the mutations up to one that every owner with a copy has applied. */
  void acknowledge(long sequence, Turn turn) {
    for (long next = acknowledgedSequence + 1; next <= sequence; next++) {
      reply(history.recent().get(next), turn);
    }
    acknowledgedSequence = sequence;
  }

  /** Tells the caller of a mutation, if it has one, what came of it. */
  private void reply(Mutation mutation, Turn turn) {
    if (!mutation.id().isNone()) {
      reply(mutation.id().caller(), CallerWindow.Result.of(mutation), turn);
    }
  }

  private void reply(NodeId caller, CallerWindow.Result result, Turn turn) {
    turn.send(
        caller,
        new OperationReply(
            result.callerSequence(),
            Outcome.DONE,
            result.applied(),
            result.previous(),
            result.term(),
            result.counter(),
            result.number(),
            letters.table().epoch()));
  }
}
