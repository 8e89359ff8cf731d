package dev.headrace.rebalance.write;

import dev.headrace.rebalance.message.History;
import dev.headrace.rebalance.message.HistoryRequest;
import dev.headrace.rebalance.message.Operation;
import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.message.OperationReply.Outcome;
import dev.headrace.rebalance.message.Replicate;
import dev.headrace.rebalance.message.Replicated;
import dev.headrace.rebalance.message.Settled;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.Cursor;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import org.jspecify.annotations.Nullable;

/**
 * The one-after-the-other order of one segment's mutations on one node: a pure machine, which takes
 * an event and leaves what is to be done in a {@link Turn}.
 *
 * <p>It checks what concerns both halves, above all that sender and receiver mean the same owners
 * (P7), and leaves the rest to {@link Primary} or {@link Backup}; without a replica it has neither.
 * Not thread-safe: {@link Lanes} runs it under its monitor.
 */
final class Lane {
  private final CacheSegments cache;
  private final int segment;
  private final LaneSettings settings;
  private SegmentHistory history;
  private @Nullable Holdings holdings;
  private @Nullable Primary primary;
  private @Nullable Backup backup;
  private Cursor expiryCursor = Cursor.START;
  private boolean attended;

  Lane(CacheSegments cache, int segment, LaneSettings settings) {
    this.cache = cache;
    this.segment = segment;
    this.settings = settings;
    this.history = new SegmentHistory(cache.store(), segment);
  }

  // ---- Ownership

  /** Brings the lane to the node's present table; does nothing if it is there. */
  void adopt(Holdings newer, Turn turn) {
    Holdings before = holdings;
    if (before == newer) {
      return;
    }
    holdings = newer;
    SegmentTable table = newer.table();
    if (before != null) {
      history.forgetLeavers(before.table(), table);
    }
    if (before != null && sameOwners(before.table(), table)) {
      if (primary != null) {
        primary.renew(table);
      }
      if (backup != null) {
        backup.renew(table);
      }
      return;
    }
    resign(turn, table.epoch());
    if (!newer.holds(segment)) {
      retire();
    } else if (table.sealed() && isReadable()) {
      takeRole(table, turn);
    }
  }

  /** The cluster's content has been replaced: this lane belongs to nothing any more. */
  void retire() {
    primary = null;
    backup = null;
    cache.store().drop(segment);
    history = new SegmentHistory(cache.store(), segment);
  }

  private boolean sameOwners(SegmentTable before, SegmentTable now) {
    return before.segmentEpoch(segment) == now.segmentEpoch(segment)
        && before.sealed() == now.sealed();
  }

  private void resign(Turn turn, long epoch) {
    if (primary != null) {
      for (Operation operation : primary.waiting()) {
        turn.refuse(operation.id().caller(), operation.id().sequence(), Outcome.STALE, epoch);
      }
    }
    primary = null;
    backup = null;
  }

  private void takeRole(SegmentTable table, Turn turn) {
    if (table.isPrimary(segment, settings.self())) {
      Primary taking = new Primary(cache, segment, settings, history, table);
      primary = taking;
      taking.begin(turn);
    } else {
      Backup taking = new Backup(cache, segment, settings, history, table);
      backup = taking;
      taking.begin(turn);
    }
  }

  private boolean isReadable() {
    Replica replica = cache.store().replica(segment);
    return replica != null && replica.state().readable();
  }

  // ---- As primary

  /** A mutation or a count; the monitor is not needed for a GET. */
  void operation(NodeId from, Operation operation, Turn turn) {
    SegmentTable table = table();
    Outcome refusal = refusal(from, operation, table, turn);
    if (refusal != null) {
      turn.refuse(from, operation.id().sequence(), refusal, table.epoch());
    } else if (primary != null) {
      if (operation.kind().mutation()) {
        cache.learn(operation.format());
      }
      primary.operation(operation, turn);
    } else {
      // Nothing was ever written, so that the primary-to-be can count without a role.
      turn.send(
          from,
          new OperationReply(
              operation.id().sequence(), Outcome.DONE, true, null, 0, 0, 0, table.epoch()));
    }
  }

  private @Nullable Outcome refusal(
      NodeId from, Operation operation, SegmentTable table, Turn turn) {
    if (table.segmentEpoch(segment) > operation.epoch()) {
      turn.notice(from, table);
      return Outcome.STALE;
    }
    boolean tooNew = operation.segmentEpoch() > table.epoch() || table.member(from) == null;
    if (tooNew || !table.isPrimary(segment, settings.self())) {
      return Outcome.STALE;
    }
    if (!cache.admits(operation.format())) {
      return Outcome.WRONG_FORMAT;
    }
    if (table.sealed()) {
      return primary == null ? Outcome.STALE : null;
    }
    if (!operation.kind().mutation()) {
      return null;
    }
    if (table.ownerCount(segment) < settings.minOwners()) {
      return Outcome.UNAVAILABLE;
    }
    turn.requestSeal();
    return Outcome.STALE;
  }

  void replicated(NodeId from, Replicated message, Turn turn) {
    SegmentTable table = table();
    if (table.segmentEpoch(segment) > message.epoch()) {
      turn.notice(from, table);
    } else if (message.segmentEpoch() <= table.epoch() && primary != null) {
      primary.replicated(from, message.sequence(), message.missing(), turn);
    }
  }

  void history(NodeId from, History message, Turn turn) {
    SegmentTable table = table();
    if (table.segmentEpoch(segment) > message.epoch()) {
      turn.notice(from, table);
    } else if (message.segmentEpoch() <= table.epoch() && primary != null) {
      primary.history(from, message, turn);
    }
  }

  /** The primary, if it serves; for housekeeping. */
  @Nullable Primary servingPrimary() {
    return primary != null && primary.serving() ? primary : null;
  }

  /** How far the search for expired entries has got. */
  Cursor expiryCursor() {
    return expiryCursor;
  }

  void expiryCursor(Cursor reached) {
    expiryCursor = reached;
  }

  // ---- As backup

  void replicate(NodeId from, Replicate message, Turn turn) {
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn) && backup != null) {
      try {
        backup.replicate(from, message, turn);
      } catch (RuntimeException e) {
        turn.damaged("mutation " + message.mutation().sequence() + " cannot be applied: " + e);
      }
      checkDamage(turn);
    }
  }

  void settled(NodeId from, Settled message, Turn turn) {
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn) && backup != null) {
      backup.settled(message, turn);
      checkDamage(turn);
    }
  }

  void historyRequest(NodeId from, HistoryRequest message, Turn turn) {
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn) && backup != null) {
      backup.historyRequest(from, message, turn);
    }
  }

  /** Whether a primary's message is of the present owners; if not, the older side is told. */
  private boolean meansSameOwners(NodeId from, long epoch, long segmentEpoch, Turn turn) {
    SegmentTable table = table();
    if (table.segmentEpoch(segment) > epoch) {
      turn.notice(from, table);
      return false;
    }
    if (segmentEpoch > table.epoch()) {
      turn.send(
          from,
          new Replicated(
              cache.name(),
              segment,
              table.epoch(),
              table.segmentEpoch(segment),
              history.appliedSequence(),
              false));
      return false;
    }
    return table.isPrimary(segment, from);
  }

  /** A replica without its whole history must not be read: only a copy can mend it. */
  private void checkDamage(Turn turn) {
    Replica replica = cache.store().replica(segment);
    if (turn.damage() != null && replica != null) {
      replica.become(ReplicaState.FILLING);
      backup = null;
    }
  }

  // ---- Time and connections

  void disconnected(NodeId node, Turn turn) {
    if (primary != null) {
      primary.disconnected(node, turn);
    }
  }

  void tick(Turn turn) {
    if (primary != null) {
      primary.tick(turn);
    }
    if (backup != null) {
      backup.tick(turn);
    }
  }

  /** Whether it waits for something that a tick would move on. */
  boolean unsettled() {
    return (primary != null && primary.unsettled()) || (backup != null && backup.unsettled());
  }

  /** Whether ticks are asked for already. */
  boolean attended() {
    return attended;
  }

  void attend(boolean nowAttended) {
    attended = nowAttended;
  }

  int segment() {
    return segment;
  }

  CacheSegments cache() {
    return cache;
  }

  private SegmentTable table() {
    if (holdings == null) {
      throw new IllegalStateException("segment " + segment + " has an event before any table");
    }
    return holdings.table();
  }
}
