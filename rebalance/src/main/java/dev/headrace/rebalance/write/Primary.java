package dev.headrace.rebalance.write;

import dev.headrace.rebalance.message.History;
import dev.headrace.rebalance.message.HistoryRequest;
import dev.headrace.rebalance.message.Mutation;
import dev.headrace.rebalance.message.Operation;
import dev.headrace.rebalance.message.OperationId;
import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.message.OperationReply.Outcome;
import dev.headrace.rebalance.message.Replicate;
import dev.headrace.rebalance.message.Settled;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.EntryLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The primary's half of a lane, for as long as the segment's owners do not change. Its term is the
 * epoch at which they last did. Guarded by the lane.
 *
 * <p>It takes office in two steps (P6). <i>Collecting</i>: every other owner says how far its
 * history goes, and what this node lacks is fetched. <i>Levelling</i>: the others are sent what
 * they lack. Then it serves. A node that was primary before takes office anew whenever the owners
 * change: it cannot know whether another was primary in between.
 *
 * <p>The outboxes of all backups are one list, {@link SegmentHistory#recent}, numbered by the
 * history itself; a {@link Follower} says which part of it is a backup's.
 */
final class Primary {
  private final CacheSegments cache;
  private final int segment;
  private final LaneSettings settings;
  private final SegmentHistory history;
  private final List<Follower> followers = new ArrayList<>(2);
  private final ArrayDeque<Operation> waiting = new ArrayDeque<>(0);
  private SegmentTable table;
  private Phase phase = Phase.COLLECTING;
  private long waitingBytes;
  private long announcedSequence;
  private long lastMutationNanos;

  private enum Phase {
    COLLECTING,
    LEVELLING,
    SERVING
  }

  Primary(
      CacheSegments cache,
      int segment,
      LaneSettings settings,
      SegmentHistory history,
      SegmentTable table) {
    this.cache = cache;
    this.segment = segment;
    this.settings = settings;
    this.history = history;
    this.table = table;
  }

  // ---- Taking office

  void begin(Turn turn) {
    lastMutationNanos = turn.nowNanos();
    for (int index = 1; index < table.ownerCount(segment); index++) {
      followers.add(new Follower(table.owner(segment, index), turn.nowNanos()));
    }
    for (Follower follower : followers) {
      askForHistory(follower, turn);
    }
    proceed(turn);
  }

  /** The table has changed, but not the owners of this segment. */
  void renew(SegmentTable newer) {
    table = newer;
    // The results of a caller that has left are forgotten: it could no longer be told from a
    // repetition.
    waiting.removeIf(operation -> newer.member(operation.id().caller()) == null);
  }

  /** The operations that still wait when the office ends. */
  Iterable<Operation> waiting() {
    return waiting;
  }

  boolean serving() {
    return phase == Phase.SERVING;
  }

  /** An owner has told its history, or a part of what this node lacks of it. */
  void history(NodeId from, History message, Turn turn) {
    Follower follower = follower(from);
    if (follower == null || phase != Phase.COLLECTING) {
      return;
    }
    long before = history.appliedSequence();
    for (Mutation mutation : message.mutations()) {
      if (mutation.sequence() == history.appliedSequence() + 1) {
        history.apply(mutation);
      }
    }
    cache.learn(message.format());
    follower.confirm(message.sequence(), turn.nowNanos());
    if (message.sequence() > history.appliedSequence() && history.appliedSequence() > before) {
      askForHistory(follower, turn);
    }
    proceed(turn);
  }

  private void askForHistory(Follower follower, Turn turn) {
    turn.send(
        follower.node(),
        new HistoryRequest(
            cache.name(),
            segment,
            table.epoch(),
            table.segmentEpoch(segment),
            history.appliedSequence()));
  }

  private void proceed(Turn turn) {
    if (phase == Phase.COLLECTING && hasLongestHistory()) {
      phase = Phase.LEVELLING;
      for (Follower follower : followers) {
        push(follower, turn);
      }
    }
    settle(turn);
    if (phase == Phase.LEVELLING && history.stableSequence() == history.appliedSequence()) {
      phase = Phase.SERVING;
      waitingBytes = 0;
      for (Operation operation = waiting.poll(); operation != null; operation = waiting.poll()) {
        serve(operation, turn);
      }
    }
  }

  private boolean hasLongestHistory() {
    for (Follower follower : followers) {
      if (!follower.heard() || follower.confirmedSequence() > history.appliedSequence()) {
        return false;
      }
    }
    return true;
  }

  // ---- Operations

  void operation(Operation operation, Turn turn) {
    if (phase == Phase.SERVING) {
      serve(operation, turn);
      return;
    }
    long bytes = operation.key().length + (long) lengthOf(operation.value());
    if (waiting.size() >= settings.maxWaiting()
        || waitingBytes + bytes > LaneSettings.MAX_WAITING_BYTES) {
      answer(operation.id(), Outcome.STALE, turn);
      return;
    }
    waitingBytes += bytes;
    waiting.add(operation);
  }

  private static int lengthOf(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  private void serve(Operation operation, Turn turn) {
    OperationId id = operation.id();
    if (operation.kind() == Operation.Kind.COUNT) {
      long entries = history.replica().entries();
      turn.send(
          id.caller(),
          new OperationReply(
              id.sequence(), Outcome.DONE, true, null, 0, 0, entries, table.epoch()));
      return;
    }
    CallerResults.Result known = history.find(id);
    if (known != null) {
      // One that is not stable yet is answered when it is.
      if (known.sequence() <= history.stableSequence()) {
        reply(id.caller(), known, turn);
      }
    } else if (history.forgotten(id)) {
      answer(id, Outcome.UNKNOWN, turn);
    } else if (table.ownerCount(segment) < settings.minOwners()) {
      answer(id, Outcome.UNAVAILABLE, turn);
    } else if (outboxFull()) {
      answer(id, Outcome.STALE, turn);
    } else {
      mutate(operation, turn);
    }
  }

  private boolean outboxFull() {
    RecentMutations outbox = history.recent();
    return outbox.size() >= settings.maxOutboxEntries()
        || outbox.bytes() >= settings.maxOutboxBytes();
  }

  private void mutate(Operation operation, Turn turn) {
    long term = table.segmentEpoch(segment);
    long sequence = history.appliedSequence() + 1;
    if (operation.kind().writesValue()) {
      byte[] value = Objects.requireNonNull(operation.value(), "value");
      long entryBytes =
          EntryLayout.entryBytes(
              operation.key().length, value.length, term, sequence, operation.expiryMillis());
      if (entryBytes > history.store().maxEntryBytes()) {
        answer(operation.id(), Outcome.TOO_LARGE, turn);
        return;
      }
    }
    Mutation mutation =
        Judge.judge(
            operation, history.replica(), history.position(operation.key()), term, sequence);
    history.apply(mutation);
    publish(turn);
  }

  /** Carries out a mutation that nobody asked for. */
  void mutate(Mutation.Change change, byte[] key, Turn turn) {
    long sequence = history.appliedSequence() + 1;
    long term = table.segmentEpoch(segment);
    history.apply(
        new Mutation(term, sequence, OperationId.NONE, change, key, null, 0, true, null, 0, 0, 0));
    publish(turn);
  }

  /** Whether there is room for mutations that nobody asked for. */
  boolean idle() {
    return phase == Phase.SERVING && !outboxFull();
  }

  private void publish(Turn turn) {
    lastMutationNanos = turn.nowNanos();
    for (Follower follower : followers) {
      push(follower, turn);
    }
    if (followers.isEmpty()) {
      settle(turn);
    }
  }

  private void answer(OperationId id, Outcome outcome, Turn turn) {
    turn.refuse(id.caller(), id.sequence(), outcome, table.epoch());
  }

  private void reply(NodeId caller, CallerResults.Result result, Turn turn) {
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
            table.epoch()));
  }

  // ---- Backups

  /** A backup has told how far it has applied the history. */
  void replicated(NodeId from, long sequence, boolean missing, Turn turn) {
    Follower follower = follower(from);
    if (follower == null) {
      return;
    }
    boolean firstWord = !follower.heard();
    follower.confirm(sequence, turn.nowNanos());
    if (phase == Phase.COLLECTING) {
      if (firstWord && sequence > history.appliedSequence()) {
        askForHistory(follower, turn);
      }
      proceed(turn);
      return;
    }
    if (sequence > history.appliedSequence()) {
      throw new IllegalStateException(
          "%s has mutation %d of segment %d, but its primary only %d"
              .formatted(from, sequence, segment, history.appliedSequence()));
    }
    if (missing) {
      follower.sendAgain(turn.nowNanos());
    }
    push(follower, turn);
    proceed(turn);
  }

  void disconnected(NodeId node, Turn turn) {
    Follower follower = follower(node);
    if (follower != null) {
      follower.sendAgain(turn.nowNanos());
    }
  }

  void tick(Turn turn) {
    for (Follower follower : followers) {
      if (follower.idleNanos(turn.nowNanos()) < settings.resendNanos()) {
        continue;
      }
      if (phase == Phase.COLLECTING) {
        if (!follower.heard() || follower.confirmedSequence() > history.appliedSequence()) {
          follower.sendAgain(turn.nowNanos());
          askForHistory(follower, turn);
        }
      } else if (follower.confirmedSequence() < history.appliedSequence()) {
        follower.sendAgain(turn.nowNanos());
        push(follower, turn);
      }
    }
    long quietNanos = turn.nowNanos() - lastMutationNanos;
    if (history.recent().size() == 0
        && announcedSequence < history.stableSequence()
        && quietNanos >= settings.quietNanos()) {
      announce(turn);
    }
  }

  /** Whether it waits for something that a tick would move on. */
  boolean unsettled() {
    return phase != Phase.SERVING
        || history.recent().size() > 0
        || (announcedSequence < history.stableSequence() && !followers.isEmpty());
  }

  private void announce(Turn turn) {
    announcedSequence = history.stableSequence();
    for (Follower follower : followers) {
      turn.send(
          follower.node(),
          new Settled(
              cache.name(),
              segment,
              table.epoch(),
              table.segmentEpoch(segment),
              announcedSequence));
    }
  }

  private void push(Follower follower, Turn turn) {
    long end =
        Math.min(
            history.appliedSequence(), follower.confirmedSequence() + LaneSettings.MAX_IN_FLIGHT);
    for (long next = follower.sentSequence() + 1; next <= end; next++) {
      turn.send(
          follower.node(),
          new Replicate(
              cache.name(),
              cache.format(),
              segment,
              table.epoch(),
              table.segmentEpoch(segment),
              history.stableSequence(),
              history.recent().get(next)));
      follower.sent(next, turn.nowNanos());
    }
  }

  /** Answers what every owner has applied by now. */
  private void settle(Turn turn) {
    if (phase == Phase.COLLECTING) {
      return;
    }
    long stable = history.appliedSequence();
    for (Follower follower : followers) {
      stable = Math.min(stable, follower.confirmedSequence());
    }
    for (long next = history.stableSequence() + 1; next <= stable; next++) {
      Mutation mutation = history.recent().get(next);
      if (!mutation.id().isNone()) {
        reply(mutation.id().caller(), CallerResults.Result.of(mutation), turn);
      }
    }
    history.stable(stable);
  }

  private @Nullable Follower follower(NodeId node) {
    for (Follower follower : followers) {
      if (follower.node().equals(node)) {
        return follower;
      }
    }
    return null;
  }
}
