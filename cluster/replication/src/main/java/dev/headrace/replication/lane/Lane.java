package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.copy.RunningFill;
import dev.headrace.replication.log.LaneCache;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.log.Turn;
import dev.headrace.replication.message.Chunk;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Levelled;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.Settled;
import dev.headrace.replication.role.Primary;
import dev.headrace.replication.role.Surroundings;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * The one-after-the-other order of one segment's mutations on one node: a pure machine, which takes
 * an event and leaves what is to be done in a {@link Turn}.
 *
 * <p>It checks what concerns all roles, above all that sender and receiver mean the same owners
 * (P7), keeps what comes too early, and leaves the rest to this node's {@link Roles}. Not
 * thread-safe: {@link Lanes} runs it under its monitor.
 */
final class Lane {
  private final LaneCache cache;
  private final int segment;
  private final LaneSettings settings;
  private final EarlyRequests early;
  private final Roles roles;
  private Cursor expiryCursor = Cursor.START;
  private boolean attended;

  Lane(LaneCache cache, int segment, Surroundings around) {
    this.cache = cache;
    this.segment = segment;
    this.settings = around.settings();
    this.early = new EarlyRequests(settings);
    this.roles = new Roles(cache, segment, around);
  }

  /** Brings the lane to the node's present table; does nothing if it is there. */
  void adopt(Holdings newer, Turn turn) {
    if (roles.adopt(newer, turn)) {
      early.release(this, newer.table(), turn);
    }
  }

  /** This lane holds nothing any more. */
  void retire() {
    roles.retire();
  }

  // ---- As primary

  /** A mutation or a count; the monitor is not needed for a GET. */
  void operation(NodeId from, Operation operation, Turn turn) {
    SegmentTable table = table();
    if (operation.segmentEpoch() > table.epoch() && early.keep(operation, turn.nowNanos())) {
      turn.behind(from);
      return;
    }
    Primary primary = roles.primary();
    Outcome refusal = refusal(from, operation, table, turn);
    if (refusal != null) {
      turn.refuse(from, operation.id().sequence(), refusal, table.epoch());
    } else if (primary != null) {
      if (operation.kind().mutation() && operation.kind() != Operation.Kind.CLEAR) {
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
      turn.outdated(from, operation.epoch());
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
      return roles.primary() == null ? Outcome.STALE : null;
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

  /** The primary that an owner's message is for; null if there is none or it is of others. */
  private @Nullable Primary asked(NodeId from, long epoch, long segmentEpoch, Turn turn) {
    SegmentTable table = table();
    if (table.segmentEpoch(segment) > epoch) {
      turn.outdated(from, epoch);
      return null;
    }
    return segmentEpoch <= table.epoch() ? roles.primary() : null;
  }

  void replicated(NodeId from, Replicated message, Turn turn) {
    Primary primary = asked(from, message.epoch(), message.segmentEpoch(), turn);
    if (primary != null) {
      primary.replicated(from, message, turn);
    }
  }

  void learned(NodeId from, Learned message, Turn turn) {
    Primary primary = asked(from, message.epoch(), message.segmentEpoch(), turn);
    if (primary != null) {
      primary.learned(from, message, turn);
    }
  }

  void history(NodeId from, History message, Turn turn) {
    Primary primary = asked(from, message.epoch(), message.segmentEpoch(), turn);
    if (primary != null) {
      primary.history(from, message, turn);
    }
  }

  /** Another cache of this segment has recovered, too, perhaps the last. */
  void othersRecovered(Turn turn) {
    Primary primary = roles.primary();
    if (primary != null) {
      primary.othersRecovered(turn);
    }
  }

  /** See {@link Primary#recoveredUnder}; the monitor is not needed. */
  boolean recoveredUnder(long segmentEpoch) {
    Primary primary = roles.primary();
    return primary != null && primary.recoveredUnder(segmentEpoch);
  }

  /** The primary, if it serves; for housekeeping. */
  @Nullable Primary servingPrimary() {
    Primary primary = roles.primary();
    return primary != null && primary.serving() ? primary : null;
  }

  /** How far the search for expired entries has got. */
  Cursor expiryCursor() {
    return expiryCursor;
  }

  void expiryCursor(Cursor reached) {
    expiryCursor = reached;
  }

  /**
   * Begins to fill the destinations of a fill, if this node is the segment's primary and serves.
   */
  void fill(RunningFill task, Turn turn) {
    Primary primary = roles.primary();
    if (primary != null) {
      primary.fill(task, turn);
    }
  }

  /** Whether the destinations of a fill could take this lane over. */
  boolean keepUp(RunningFill task, long maxLag) {
    Primary primary = roles.primary();
    return primary != null && primary.keepUp(task, maxLag);
  }

  /** Whether the destinations of a fill have all that was acknowledged. */
  boolean isLevel(RunningFill task) {
    Primary primary = roles.primary();
    return primary != null && primary.isLevel(task);
  }

  /** Sends learners what there is room for now. */
  void pump(Turn turn) {
    Primary primary = roles.primary();
    if (primary != null) {
      primary.pump(turn);
    }
  }

  // ---- As one of the others

  void replicate(NodeId from, Replicate message, Turn turn) {
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn)) {
      roles.replicate(from, message, turn);
    }
  }

  void chunk(NodeId from, Chunk message, Turn turn) {
    if (message.segmentEpoch() > table().epoch()) {
      early.keep(from, message);
    }
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn)) {
      roles.chunk(from, message, turn);
    }
  }

  void levelled(NodeId from, Levelled message, Turn turn) {
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn)) {
      roles.levelled(from, message, turn);
    }
  }

  void settled(NodeId from, Settled message, Turn turn) {
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn)) {
      roles.settled(message, turn);
    }
  }

  void historyRequest(NodeId from, HistoryRequest message, Turn turn) {
    if (message.segmentEpoch() > table().epoch()) {
      early.keep(from, message);
    }
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), turn)) {
      roles.historyRequest(from, message, turn);
    }
  }

  /** Whether a primary's message is of the present owners; if not, the older side is told. */
  boolean meansSameOwners(NodeId from, long epoch, long segmentEpoch, Turn turn) {
    SegmentTable table = table();
    if (table.segmentEpoch(segment) > epoch) {
      turn.outdated(from, epoch);
      return false;
    }
    if (segmentEpoch > table.epoch()) {
      turn.behind(from);
      return false;
    }
    return table.isPrimary(segment, from);
  }

  /** Whether this node is a backup that has everything and may be read. */
  boolean wholeBackup() {
    return roles.wholeBackup();
  }

  // ---- Time and connections

  void disconnected(NodeId node, Turn turn) {
    roles.disconnected(node, turn);
  }

  void tick(Turn turn) {
    roles.tick(turn);
    early.release(this, table(), turn);
  }

  /** Whether it waits for something that a tick would move on. */
  boolean unsettled() {
    return roles.unsettled() || !early.isEmpty();
  }

  /** Whether ticks are asked for already. */
  boolean attended() {
    return attended;
  }

  void attend(boolean nowAttended) {
    attended = nowAttended;
  }

  /** Whether it keeps what a new primary may still need. */
  boolean owes() {
    return roles.owes();
  }

  LaneLoad load() {
    return roles.load();
  }

  int segment() {
    return segment;
  }

  LaneCache cache() {
    return cache;
  }

  SegmentHistory history() {
    return roles.history();
  }

  SegmentTable table() {
    return roles.table();
  }
}
