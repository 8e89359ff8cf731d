package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.copy.RunningCopy;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneCache;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.SegmentMessage;
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

  // ---- Messages

  /**
   * Takes a message if it is of the present owners; one that has come too early may be kept, and an
   * operation that is not taken is refused.
   */
  void receive(NodeId from, SegmentMessage message, Effects effects) {
    if (!accepts(from, message, effects)) {
      return;
    }
    if (message instanceof Operation operation) {
      operation(from, operation, effects);
    } else {
      roles.receive(from, message, effects);
    }
  }

  /**
   * Whether a message is of the present owners (P7), and of their primary if only that sends it. If
   * it is of others, the older side is told.
   */
  boolean accepts(NodeId from, SegmentMessage message, Effects effects) {
    SegmentTable table = table();
    boolean fromPrimary = message instanceof SegmentMessage.FromPrimary;
    EpochCheck check = EpochCheck.of(table, segment, message.epoch(), message.segmentEpoch());
    if (check == EpochCheck.SAME_OWNERS) {
      return !fromPrimary || table.isPrimary(segment, from);
    }
    boolean kept = false;
    if (check == EpochCheck.SENDER_BEHIND) {
      effects.outdated(from, message.epoch());
    } else {
      kept = early.keep(from, message, effects.nowNanos());
      if (kept || fromPrimary) {
        effects.behind(from);
      }
    }
    if (!kept && message instanceof Operation operation) {
      effects.refuse(operation.id(), Outcome.STALE, table.epoch());
    }
    return false;
  }

  private void operation(NodeId from, Operation operation, Effects effects) {
    SegmentTable table = table();
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
    if (table.member(from) == null || !table.isPrimary(segment, settings.self())) {
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

  // ---- As primary

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
