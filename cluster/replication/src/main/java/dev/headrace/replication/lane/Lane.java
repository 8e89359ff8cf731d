package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.LaneCache;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.SegmentMessage;
import dev.headrace.replication.role.Backup;
import dev.headrace.replication.role.LaneContext;
import dev.headrace.replication.role.LeaseCheck;
import dev.headrace.replication.role.Primary;
import dev.headrace.replication.role.RetiringReplica;
import dev.headrace.replication.role.Role;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * The one-after-the-other order of one segment's mutations on one node: a pure machine, which takes
 * an event and leaves what is to be done in an {@link Effects}. Not thread-safe: {@link Lanes} runs
 * it under its monitor.
 *
 * <pre>
 * event           guard                                effects
 * --------------  -----------------------------------  -----------------------------------------
 * newer table     the segment's owners are the same    its role is told
 * newer table     they are others, or final now        the role that follows begins (see Roles)
 * newer table     something was kept for it            that is received
 * SegmentMessage  the sender is behind (P7)            it gets the deltas; an operation is refused
 * SegmentMessage  this node is behind (P7)             it asks for the table; operations, questions
 *                                                      of new primaries and orders to begin a copy
 *                                                      are kept
 * a primary's     another node is the primary          none
 * Operation       the caller is no member, or this     refused
 *                 node is not the primary
 * Operation       other formats than the cache's       refused
 * any other                                            its role handles it ({@link Role})
 * tick                                                 the role's; what waited too long is refused
 * </pre>
 *
 * <p><b>For whoever knows Raft.</b> A segment of a cache is a replication group. Its log is the
 * history: mutations numbered without gaps, each with the term in which it was made. The store is
 * the state machine. But much is simpler, or simply otherwise.
 *
 * <p>There is no election. Who is primary and who is a backup stands in the segment table, on which
 * the cluster agrees elsewhere, once for all segments; a term is the epoch at which the segment's
 * owners last changed, and each term has one primary. For a moment two nodes may take themselves
 * for primary, one of them under an older table. Three things keep them apart: each message carries
 * what its sender knows of the owners (P7), so that whoever has told a newer primary what it has
 * takes nothing from an older one any more; the newer one has to hear from everybody who could have
 * acknowledged something under the older table, or to wait until they have no lease; and nobody
 * answers without a lease.
 *
 * <p>There is no majority. A write is acknowledged when every owner of the epoch has it, so that
 * any one of them is enough to recover from, and r owners survive the loss of r - 1. The price is
 * that an owner that has died stops the writes of its segments until there is a table without it.
 * Raft's commit index has two counterparts: what is acknowledged, of which callers are told, and
 * what is stable, which every owner and every learner has, so that nobody needs it for a
 * repetition.
 *
 * <p>A mutation is applied when it comes, not when it is known to be on all owners: readers may see
 * it before it is acknowledged, and a crash may undo it (P10). So nothing can be cut off from a
 * history that went another way, as a Raft follower would do. Such an owner gets the segment anew,
 * in its place. That is Raft's snapshot, but it is taken along the cursor while writes go on, and
 * the same for a node that is to become an owner, which Raft would call a learner, too.
 *
 * <p>A lane always acts on the newest table that its node has: each event brings it there first.
 * Tables reach the nodes of a cluster one after the other, though, and whoever has a new one acts
 * on it at once. So what comes under a table that is not here yet is kept for a moment ({@link
 * EarlyRequests}); to refuse it would cost its sender a wait and one more way there and back.
 *
 * <p>All caches have the same segments and the same owners, and what is lost is lost for a segment.
 * Therefore the primary of one lane does not serve before the lanes of the same segment in all
 * other caches have recovered.
 *
 * <p>Two threads may send what two events have left in another order than they were made. Nobody
 * depends on the order: mutations and copies are numbered, and what comes twice or too early is
 * recognised by that.
 */
final class Lane {
  private final LaneCache cache;
  private final int segment;
  private final LaneSettings settings;
  private final LeaseCheck lease;
  private final EarlyRequests early;
  private final Roles roles;
  private volatile Role role; // written under the monitor, read by other lanes
  private @Nullable LocalReplicas local;
  private boolean retired;
  private Cursor expiryCursor = Cursor.START;
  private boolean attended;
  private boolean reads;

  Lane(LaneCache cache, int segment, LaneContext around) {
    this.cache = cache;
    this.segment = segment;
    this.settings = around.settings();
    this.lease = around.lease();
    this.early = new EarlyRequests(settings);
    this.roles = new Roles(cache, segment, around);
    this.role = roles.first();
  }

  /** Whether the lane has not adopted the node's present table yet. */
  boolean isBehind(LocalReplicas newest) {
    return local != newest && !retired;
  }

  /** Brings the lane to the node's present table; does nothing if it is there, or has retired. */
  void adopt(LocalReplicas newer, Effects effects) {
    if (!isBehind(newer)) {
      return;
    }
    LocalReplicas before = local;
    Role next = roles.follow(role, before, newer, effects);
    local = newer; // only now: a change that fails is tried again, and nothing happens before it
    if (next != role) {
      role = next; // before it begins: others ask this lane how far it is
      next.begin(effects);
    }
    early.release(this, newer.table(), effects);
  }

  /** This lane holds nothing any more, under whatever table. */
  void retire() {
    retired = true;
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
      Role next = role.receive(from, message, effects);
      if (next != role) {
        role = next;
      }
    }
  }

  /**
   * Whether a message is of the present owners (P7), and of their primary if only that sends it. If
   * it is of others, the older side is told.
   */
  boolean accepts(NodeId from, SegmentMessage message, Effects effects) {
    SegmentTable table = table();
    EpochCheck check = EpochCheck.of(table, segment, message.epoch(), message.segmentEpoch());
    if (check == EpochCheck.SAME_OWNERS) {
      return !message.fromPrimary() || table.isPrimary(segment, from);
    }
    boolean kept = false;
    if (check == EpochCheck.SENDER_BEHIND) {
      effects.outdated(from, message.epoch());
    } else {
      kept = early.keep(from, message, effects.nowNanos());
      if (kept || message.fromPrimary()) {
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
      boolean counts = lease.permits(segment, table.segmentEpoch(segment));
      effects.refuse(operation.id(), counts ? Outcome.WRONG_FORMAT : Outcome.STALE, table.epoch());
    } else {
      role.operation(operation, effects);
    }
  }

  /**
   * A processor has run.
   *
   * @param decision null if the node has no thread for it
   */
  void processed(ProcessorRun run, @Nullable EntryDecision decision, Effects effects) {
    if (role instanceof Primary primary) {
      primary.processed(run, decision, effects);
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

  /** Whether this node owns the segment and has everything that was acknowledged. */
  boolean inSync() {
    return (role instanceof Primary || role instanceof Backup)
        && history().replica().state().readable();
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

  /** Whether it reads ranges, or waits for room to do so. */
  boolean reads() {
    return reads;
  }

  void read(boolean nowReads) {
    reads = nowReads;
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
