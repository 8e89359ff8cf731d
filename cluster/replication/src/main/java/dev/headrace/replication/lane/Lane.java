package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.copy.RunningCopy;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneCache;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Chunk;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.Replicate;
import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.Settled;
import dev.headrace.replication.role.LaneContext;
import dev.headrace.replication.role.Primary;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * The one-after-the-other order of one segment's mutations on one node: a pure machine, which takes
 * an event and leaves what is to be done in a {@link Effects}.
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

  Lane(LaneCache cache, int segment, LaneContext around) {
    this.cache = cache;
    this.segment = segment;
    this.settings = around.settings();
    this.early = new EarlyRequests(settings);
    this.roles = new Roles(cache, segment, around);
  }

  /** Brings the lane to the node's present table; does nothing if it is there. */
  void adopt(LocalReplicas newer, Effects effects) {
    if (roles.adopt(newer, effects)) {
      early.release(this, newer.table(), effects);
    }
  }

  /** This lane holds nothing any more. */
  void retire() {
    roles.retire();
  }

  // ---- As primary

  /** A mutation or a count; the monitor is not needed for a GET. */
  void operation(NodeId from, Operation operation, Effects effects) {
    SegmentTable table = table();
    if (operation.segmentEpoch() > table.epoch() && early.keep(operation, effects.nowNanos())) {
      effects.behind(from);
      return;
    }
    Primary primary = roles.primary();
    Outcome refusal = refusal(from, operation, table, effects);
    if (refusal != null) {
      effects.refuse(operation.id(), refusal, table.epoch());
    } else if (primary != null) {
      if (operation.kind().mutation() && operation.kind() != Operation.Kind.CLEAR) {
        cache.learn(operation.format());
      }
      primary.operation(operation, effects);
    } else {
      // Nothing was ever written, so that the primary-to-be can count without a role.
      effects.send(
          from,
          new OperationReply(
              operation.id().sequence(), Outcome.DONE, true, null, 0, 0, 0, table.epoch()));
    }
  }

  private @Nullable Outcome refusal(
      NodeId from, Operation operation, SegmentTable table, Effects effects) {
    if (table.segmentEpoch(segment) > operation.epoch()) {
      effects.outdated(from, operation.epoch());
      return Outcome.STALE;
    }
    boolean tooNew = operation.segmentEpoch() > table.epoch() || table.member(from) == null;
    if (tooNew || !table.isPrimary(segment, settings.self())) {
      return Outcome.STALE;
    }
    if (!cache.admits(operation.format())) {
      return Outcome.WRONG_FORMAT;
    }
    if (table.written()) {
      return roles.primary() == null ? Outcome.STALE : null;
    }
    if (!operation.kind().mutation()) {
      return null;
    }
    if (table.ownerCount(segment) < settings.minOwners()) {
      return Outcome.UNAVAILABLE;
    }
    effects.requestFirstWrite();
    return Outcome.STALE;
  }

  /** The primary that an owner's message is for; null if there is none or it is of others. */
  private @Nullable Primary asked(NodeId from, long epoch, long segmentEpoch, Effects effects) {
    SegmentTable table = table();
    if (table.segmentEpoch(segment) > epoch) {
      effects.outdated(from, epoch);
      return null;
    }
    return segmentEpoch <= table.epoch() ? roles.primary() : null;
  }

  void replicated(NodeId from, Replicated message, Effects effects) {
    Primary primary = asked(from, message.epoch(), message.segmentEpoch(), effects);
    if (primary != null) {
      primary.replicated(from, message, effects);
    }
  }

  void learned(NodeId from, Learned message, Effects effects) {
    Primary primary = asked(from, message.epoch(), message.segmentEpoch(), effects);
    if (primary != null) {
      primary.learned(from, message, effects);
    }
  }

  void history(NodeId from, History message, Effects effects) {
    Primary primary = asked(from, message.epoch(), message.segmentEpoch(), effects);
    if (primary != null) {
      primary.history(from, message, effects);
    }
  }

  /** Another cache of this segment has recovered, too, perhaps the last. */
  void othersRecovered(Effects effects) {
    Primary primary = roles.primary();
    if (primary != null) {
      primary.othersRecovered(effects);
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
   * Begins to copy to the destinations of a copy, if this node is the segment's primary and serves.
   */
  void copy(RunningCopy task, Effects effects) {
    Primary primary = roles.primary();
    if (primary != null) {
      primary.copy(task, effects);
    }
  }

  /** Whether the destinations of a copy could take this lane over. */
  boolean keepUp(RunningCopy task, long maxLag) {
    Primary primary = roles.primary();
    return primary != null && primary.keepUp(task, maxLag);
  }

  /** Whether the destinations of a copy have all that was acknowledged. */
  boolean isLevel(RunningCopy task) {
    Primary primary = roles.primary();
    return primary != null && primary.isLevel(task);
  }

  /** Sends learners what there is room for now. */
  void pump(Effects effects) {
    Primary primary = roles.primary();
    if (primary != null) {
      primary.pump(effects);
    }
  }

  // ---- As one of the others

  void replicate(NodeId from, Replicate message, Effects effects) {
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), effects)) {
      roles.replicate(from, message, effects);
    }
  }

  void chunk(NodeId from, Chunk message, Effects effects) {
    if (message.segmentEpoch() > table().epoch()) {
      early.keep(from, message);
    }
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), effects)) {
      roles.chunk(from, message, effects);
    }
  }

  void inSync(NodeId from, InSync message, Effects effects) {
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), effects)) {
      roles.inSync(from, message, effects);
    }
  }

  void settled(NodeId from, Settled message, Effects effects) {
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), effects)) {
      roles.settled(message, effects);
    }
  }

  void historyRequest(NodeId from, HistoryRequest message, Effects effects) {
    if (message.segmentEpoch() > table().epoch()) {
      early.keep(from, message);
    }
    if (meansSameOwners(from, message.epoch(), message.segmentEpoch(), effects)) {
      roles.historyRequest(from, message, effects);
    }
  }

  /** Whether a primary's message is of the present owners; if not, the older side is told. */
  boolean meansSameOwners(NodeId from, long epoch, long segmentEpoch, Effects effects) {
    SegmentTable table = table();
    if (table.segmentEpoch(segment) > epoch) {
      effects.outdated(from, epoch);
      return false;
    }
    if (segmentEpoch > table.epoch()) {
      effects.behind(from);
      return false;
    }
    return table.isPrimary(segment, from);
  }

  /** Whether this node is a backup that has everything and may be read. */
  boolean inSyncBackup() {
    return roles.inSyncBackup();
  }

  // ---- Time and connections

  void disconnected(NodeId node, Effects effects) {
    roles.disconnected(node, effects);
  }

  void tick(Effects effects) {
    roles.tick(effects);
    early.release(this, table(), effects);
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
