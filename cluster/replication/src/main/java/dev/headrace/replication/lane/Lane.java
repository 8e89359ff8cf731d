package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneCache;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.SegmentMessage;
import dev.headrace.replication.role.LaneContext;
import dev.headrace.replication.role.Primary;
import dev.headrace.replication.role.RetiringReplica;
import dev.headrace.replication.role.Role;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * The one-after-the-other order of one segment's mutations on one node: a pure machine, which takes
 * an event and leaves what is to be done in a {@link Effects}.
 *
 * <p>It checks what concerns all roles, above all that sender and receiver mean the same owners
 * (P7), keeps what comes too early, and leaves the rest to this node's {@link Role}. Not
 * thread-safe: {@link Lanes} runs it under its monitor.
 */
final class Lane {
  private final LaneCache cache;
  private final int segment;
  private final LaneSettings settings;
  private final EarlyRequests early;
  private final Roles roles;
  private volatile Role role; // written under the monitor, read by other lanes
  private @Nullable LocalReplicas local;
  private Cursor expiryCursor = Cursor.START;
  private boolean attended;

  Lane(LaneCache cache, int segment, LaneContext around) {
    this.cache = cache;
    this.segment = segment;
    this.settings = around.settings();
    this.early = new EarlyRequests(settings);
    this.roles = new Roles(cache, segment, around);
    this.role = roles.first();
  }

  /** Brings the lane to the node's present table; does nothing if it is there. */
  void adopt(LocalReplicas newer, Effects effects) {
    LocalReplicas before = local;
    if (before == newer) {
      return;
    }
    local = newer;
    Role next = roles.follow(role, before, newer, effects);
    if (next != role) {
      role = next; // before it begins: others ask this lane how far it is
      next.begin(effects);
    }
    early.release(this, newer.table(), effects);
  }

  /** This lane holds nothing any more. */
  void retire() {
    role = role.retire();
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
      role = role.receive(from, message, effects);
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
    if (table.member(from) == null || !table.isPrimary(segment, settings.self())) {
      effects.refuse(operation.id(), Outcome.STALE, table.epoch());
    } else if (!cache.admits(operation.format())) {
      effects.refuse(operation.id(), Outcome.WRONG_FORMAT, table.epoch());
    } else {
      role.operation(operation, effects);
    }
  }

  // ---- What it is and has

  /** What this node is to the segment. */
  Role role() {
    return role;
  }

  /** The primary, if it serves; for housekeeping. */
  @Nullable Primary servingPrimary() {
    return role instanceof Primary primary && primary.serving() ? primary : null;
  }

  /** How far the search for expired entries has got. */
  Cursor expiryCursor() {
    return expiryCursor;
  }

  void expiryCursor(Cursor reached) {
    expiryCursor = reached;
  }

  // ---- Time

  void tick(Effects effects) {
    role.tick(effects);
    early.release(this, table(), effects);
  }

  /** Whether it waits for something that a tick would move on. */
  boolean unsettled() {
    return role.unsettled() || !early.isEmpty();
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
    return role instanceof RetiringReplica;
  }

  LaneLoad load() {
    SegmentHistory history = history();
    return new LaneLoad(
        history.recent().size(), history.recent().bytes(), role.waiting().size(), 0);
  }

  int segment() {
    return segment;
  }

  LaneCache cache() {
    return cache;
  }

  SegmentHistory history() {
    return role.history();
  }

  SegmentTable table() {
    return role.table();
  }
}
