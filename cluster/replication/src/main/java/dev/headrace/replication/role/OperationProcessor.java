package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.ResultWindow;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.EntryLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a primary takes operations and hands out results: it turns operations into mutations, and
 * keeps waiting what cannot be carried out or told yet. Guarded by the lane.
 *
 * <p>It keeps two lists, since an operation may wait for either of two things, and they end
 * differently. One that waits to be carried out is kept whole. It has had no effect: when this node
 * is primary no longer it is refused, and its caller asks the next one. One that has been carried
 * out is kept by its id, for its result is in the history. It must not be refused, as if it had had
 * no effect; it may be dropped, since its caller asks again.
 */
final class OperationProcessor {
  private final MessageFactory messages;
  private final SegmentHistory history;
  private final int maxUnconfirmed;

  /** What waits for this node to serve. */
  private final WaitingOperations waiting;

  /**
   * What was carried out, and waits to be told until every owner is known to have it, and until
   * there are as many owners as a write needs.
   */
  private final List<OperationId> unconfirmed = new ArrayList<>(0);

  private long acknowledgedSequence;

  OperationProcessor(MessageFactory messages, LaneSettings settings, SegmentHistory history) {
    this.messages = messages;
    this.history = history;
    this.waiting = new WaitingOperations(settings);
    this.maxUnconfirmed = settings.maxWaiting();
    this.acknowledgedSequence = history.stableSequence();
  }

  // ---- Waiting

  /** Keeps an operation until there is a primary that serves, if there is room. */
  void keep(Operation operation, Effects effects) {
    if (!waiting.keep(operation)) {
      answer(operation.id(), Outcome.STALE, effects);
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
  boolean admits(Operation operation, Effects effects) {
    long admittedAt = messages.table().admittedAt(operation.id().caller());
    if (operation.admission() == admittedAt && admittedAt != SegmentTable.NEVER) {
      return true;
    }
    boolean former =
        operation.admission() != SegmentTable.NEVER && operation.admission() < admittedAt;
    answer(operation.id(), former ? Outcome.UNKNOWN : Outcome.STALE, effects);
    return false;
  }

  /**
   * Tells the result of an operation that was carried out before, now or when that may be told.
   *
   * <p>What an earlier term has acknowledged is answered when every owner knows that it has it, as
   * if it were acknowledged now: its caller may not have been told before, and the owners that
   * would be lost with it may have been fewer then.
   *
   * @param confirmed whether every owner has said that it has all that was acknowledged, and there
   *     are as many as a write needs
   */
  void repeat(OperationId id, ResultWindow.Result known, boolean confirmed, Effects effects) {
    if (known.sequence() > acknowledgedSequence) {
      return; // it is answered when it is acknowledged
    }
    if (!known.complete()) {
      answer(id, Outcome.UNKNOWN, effects);
    } else if (confirmed) {
      reply(id.caller(), known, effects);
    } else {
      keepUnconfirmed(id);
    }
  }

  private void keepUnconfirmed(OperationId id) {
    if (unconfirmed.size() < maxUnconfirmed) {
      unconfirmed.add(id); // if there is no room, it is asked for again
    }
  }

  /** Whether a result waits to be told. */
  boolean hasUnconfirmed() {
    return !unconfirmed.isEmpty();
  }

  /**
   * Every owner has said that it has all that was acknowledged, and there are as many as a write
   * needs.
   */
  void confirmed(Effects effects) {
    for (OperationId id : unconfirmed) {
      ResultWindow.Result known = history.find(id);
      if (known != null) {
        repeat(id, known, true, effects);
      }
    }
    unconfirmed.clear();
  }

  /** Decides what an operation changes: the next mutation; null if it has been refused. */
  @Nullable Mutation decide(Operation operation, Effects effects) {
    long term = term();
    long sequence = history.appliedSequence() + 1;
    if (operation.kind().ofMany()) {
      return decideAll(operation, term, sequence, effects);
    }
    if (operation.kind().writesValue()) {
      byte[] value = Objects.requireNonNull(operation.value(), "value");
      long entryBytes =
          EntryLayout.entryBytes(
              operation.key().length, value.length, term, sequence, operation.expiryMillis());
      if (entryBytes > history.store().maxEntryBytes()) {
        answer(operation.id(), Outcome.TOO_LARGE, effects);
        return null;
      }
    }
    return ConditionEvaluator.conditions(
        operation, history.replica(), history.position(operation.key()), term, sequence);
  }

  private @Nullable Mutation decideAll(
      Operation operation, long term, long first, Effects effects) {
    EntriesEvaluator entries =
        new EntriesEvaluator(operation, history.store().space(), messages.segment());
    if (!entries.fit(history.store().maxEntryBytes(), term, first)) {
      answer(operation.id(), Outcome.TOO_LARGE, effects);
      return null;
    }
    return entries.decide(history.replica(), term, first);
  }

  private long term() {
    return messages.table().segmentEpoch(messages.segment());
  }

  void answer(OperationId id, Outcome outcome, Effects effects) {
    effects.refuse(id, outcome, messages.table().epoch());
  }

  // ---- Acknowledging

  /** The last mutation that every owner with a copy has. */
  long acknowledgedSequence() {
    return acknowledgedSequence;
  }

  /**
   * Acknowledges the mutations up to one that every owner with a copy has applied.
   *
   * @param enough whether these are as many as a write needs; if not, callers wait: what they were
   *     told would hang on fewer copies, also if a condition did not hold
   */
  void acknowledge(long sequence, boolean enough, Effects effects) {
    for (long last = acknowledgedSequence; last < sequence; ) {
      Mutation mutation = history.recent().get(last + 1);
      last = mutation.sequence();
      if (mutation.id().isNone()) {
        continue; // nobody waits for it
      }
      if (enough) {
        reply(mutation.id().caller(), ResultWindow.Result.of(mutation), effects);
      } else {
        keepUnconfirmed(mutation.id());
      }
    }
    acknowledgedSequence = sequence;
  }

  private void reply(NodeId caller, ResultWindow.Result result, Effects effects) {
    effects.send(
        caller,
        new OperationReply(
            result.callerSequence(),
            Outcome.DONE,
            result.applied(),
            result.previous(),
            result.term(),
            result.counter(),
            result.number(),
            messages.table().epoch()));
  }
}
