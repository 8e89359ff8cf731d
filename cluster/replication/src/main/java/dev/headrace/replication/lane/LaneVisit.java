package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.message.SegmentMessage;
import dev.headrace.replication.role.Backup;
import dev.headrace.replication.role.Primary;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.Replica;
import java.util.List;

/**
 * A lane as somebody outside the write protocol sees it, for the time of one call under the lane's
 * monitor: the replica does not change meanwhile, and what is sent leaves behind all mutations that
 * the replica has. A visitor may change the replica of a backup, never that of a primary.
 */
public final class LaneVisit {
  private final Lane lane;
  private final Effects effects;

  LaneVisit(Lane lane, Effects effects) {
    this.lane = lane;
    this.effects = effects;
  }

  /** The cache's name. */
  public String cache() {
    return lane.cache().name();
  }

  /** The segment. */
  public int segment() {
    return lane.segment();
  }

  /** The lane's table. */
  public SegmentTable table() {
    return lane.table();
  }

  /** The epoch at which the segment's owners last changed; the term of the primary. */
  public long term() {
    return lane.table().segmentEpoch(lane.segment());
  }

  /** The monotonic clock. */
  public long nowNanos() {
    return effects.nowNanos();
  }

  /** Whether this node is the segment's primary and serves. */
  public boolean serves() {
    return lane.servingPrimary() != null;
  }

  /** The backups that are in sync; none unless this node {@link #serves}. */
  public List<NodeId> copies() {
    Primary primary = lane.servingPrimary();
    return primary == null ? List.of() : primary.copies();
  }

  /** Whether this node is a backup that is in sync. */
  public boolean backs() {
    return lane.role() instanceof Backup backup && backup.inSync();
  }

  /** The last mutation of the history that the replica has. */
  public long sequence() {
    return lane.history().appliedSequence();
  }

  /**
   * The replica.
   *
   * @throws IllegalStateException if this node neither {@link #serves} nor {@link #backs}
   */
  public Replica replica() {
    return lane.history().replica();
  }

  /** A hash of the formats of keys and values, 0 as long as none is known. */
  public int format() {
    return lane.cache().format();
  }

  /** Fixes the format if none is known. */
  public void learn(int format) {
    lane.cache().learn(format);
  }

  /** Whether a message from another owner is of the present owners (P7). */
  public boolean ofPresentOwners(SegmentMessage message) {
    return EpochCheck.of(table(), segment(), message.epoch(), message.segmentEpoch())
        == EpochCheck.SAME_OWNERS;
  }

  /** Sends a message when the lane's monitor is free. */
  public void send(NodeId to, Message message) {
    effects.send(to, message);
  }
}
