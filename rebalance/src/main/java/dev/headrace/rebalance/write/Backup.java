package dev.headrace.rebalance.write;

import dev.headrace.rebalance.message.History;
import dev.headrace.rebalance.message.HistoryRequest;
import dev.headrace.rebalance.message.Mutation;
import dev.headrace.rebalance.message.Replicate;
import dev.headrace.rebalance.message.Replicated;
import dev.headrace.rebalance.message.Settled;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.HashMap;
import java.util.Map;

/**
 * A backup's half of a lane, for as long as the segment's owners do not change. Guarded by the
 * lane.
 *
 * <p>It applies the primary's mutations without gaps. What comes early is kept, up to a bound; what
 * comes again is confirmed again. If the primary takes for stable what this node has never had, the
 * history has a gap that nothing can fill, and the replica is of no use.
 */
final class Backup {
  private final CacheSegments cache;
  private final int segment;
  private final LaneSettings settings;
  private final SegmentHistory history;
  private final Map<Long, Mutation> early = new HashMap<>(0);
  private SegmentTable table;
  private long earlyBytes;
  private long gapSinceNanos;

  Backup(
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

  /** Tells the primary, which may never have heard of this segment, that it has a history. */
  void begin(Turn turn) {
    if (history.appliedSequence() > 0) {
      confirm(table.owner(segment, 0), false, turn);
    }
  }

  /** The table has changed, but not the owners of this segment. */
  void renew(SegmentTable newer) {
    table = newer;
  }

  void replicate(NodeId from, Replicate message, Turn turn) {
    cache.learn(message.format());
    Mutation mutation = message.mutation();
    long ahead = mutation.sequence() - history.appliedSequence();
    if (ahead > 1) {
      keep(mutation, ahead, turn);
    } else {
      if (ahead == 1) {
        history.apply(mutation);
        applyEarly(turn);
      }
      confirm(from, false, turn);
    }
    stable(message.stableSequence(), turn);
  }

  void settled(Settled message, Turn turn) {
    stable(message.stableSequence(), turn);
  }

  void historyRequest(NodeId from, HistoryRequest request, Turn turn) {
    turn.send(
        from,
        new History(
            cache.name(),
            cache.format(),
            segment,
            table.epoch(),
            table.segmentEpoch(segment),
            history.appliedSequence(),
            history.after(request.afterSequence())));
  }

  void tick(Turn turn) {
    if (!early.isEmpty() && turn.nowNanos() - gapSinceNanos >= settings.resendNanos() / 4) {
      gapSinceNanos = turn.nowNanos();
      confirm(table.owner(segment, 0), true, turn);
    }
  }

  /** Whether something is missing that a tick would ask for. */
  boolean unsettled() {
    return !early.isEmpty();
  }

  private void keep(Mutation mutation, long ahead, Turn turn) {
    boolean bounded = ahead <= LaneSettings.MAX_IN_FLIGHT && earlyBytes < settings.maxOutboxBytes();
    if (early.isEmpty()) {
      gapSinceNanos = turn.nowNanos();
    }
    if (bounded && early.putIfAbsent(mutation.sequence(), mutation) == null) {
      earlyBytes += mutation.approximateBytes();
    }
  }

  private void applyEarly(Turn turn) {
    if (early.isEmpty()) {
      return;
    }
    gapSinceNanos = turn.nowNanos();
    Mutation next = early.remove(history.appliedSequence() + 1);
    while (next != null) {
      earlyBytes -= next.approximateBytes();
      history.apply(next);
      next = early.remove(history.appliedSequence() + 1);
    }
  }

  private void stable(long sequence, Turn turn) {
    if (sequence > history.appliedSequence()) {
      turn.damaged(
          "the primary says that all owners have mutation %d, but this one only has %d"
              .formatted(sequence, history.appliedSequence()));
    } else {
      history.stable(sequence);
    }
  }

  private void confirm(NodeId primary, boolean missing, Turn turn) {
    turn.send(
        primary,
        new Replicated(
            cache.name(),
            segment,
            table.epoch(),
            table.segmentEpoch(segment),
            history.appliedSequence(),
            missing));
  }
}
