package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.BeginCopy;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.SegmentMessage;
import dev.headrace.replication.role.WaitingOperations;
import dev.headrace.stream.NodeId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What has come to a lane under owners that this node does not know yet: tables reach the nodes of
 * a cluster one after the other, and whoever has a new one acts on it at once. It is kept until the
 * table is here, because a refusal would cost the sender a wait and one more way there and back.
 * Guarded by the lane.
 */
final class EarlyRequests {
  private final LaneSettings settings;
  private final WaitingOperations operations;
  private @Nullable NodeId asker;
  private @Nullable HistoryRequest question;
  private @Nullable NodeId source;
  private @Nullable BeginCopy copy;
  private long sinceNanos;

  EarlyRequests(LaneSettings settings) {
    this.settings = settings;
    this.operations = new WaitingOperations(settings);
  }

  boolean isEmpty() {
    return question == null && operations.isEmpty() && copy == null;
  }

  /** Keeps a message, if it is one to be kept and there is room. */
  boolean keep(NodeId from, SegmentMessage message, long nowNanos) {
    if (message instanceof Operation operation) {
      if (operations.isEmpty()) {
        sinceNanos = nowNanos;
      }
      return operations.keep(operation);
    }
    if (message instanceof HistoryRequest request) {
      HistoryRequest present = question;
      if (present == null || request.segmentEpoch() >= present.segmentEpoch()) {
        asker = from; // a new primary's question takes the place of an older primary's
        question = request;
      }
      return true;
    }
    if (message instanceof BeginCopy begin) {
      BeginCopy present = copy;
      if (present == null || begin.segmentEpoch() >= present.segmentEpoch()) {
        source = from;
        copy = begin;
      }
      return true;
    }
    return false;
  }

  /** Gives the lane what the table allows it to understand, and what has waited for too long. */
  void release(Lane lane, SegmentTable table, Effects effects) {
    HistoryRequest asked = question;
    NodeId from = asker;
    if (asked != null && from != null && asked.segmentEpoch() <= table.epoch()) {
      question = null;
      asker = null;
      lane.receive(from, asked, effects);
    }
    BeginCopy begin = copy;
    NodeId primary = source;
    if (begin != null && primary != null && begin.segmentEpoch() <= table.epoch()) {
      source = null;
      copy = null;
      lane.receive(primary, begin, effects);
    }
    releaseOperations(lane, table, effects);
  }

  private void releaseOperations(Lane lane, SegmentTable table, Effects effects) {
    boolean overdue = effects.nowNanos() - sinceNanos >= settings.resendNanos();
    for (int left = operations.size(); left > 0; left--) {
      Operation next = Objects.requireNonNull(operations.next());
      NodeId caller = next.id().caller();
      if (next.segmentEpoch() <= table.epoch()) {
        lane.receive(caller, next, effects);
      } else if (overdue || !operations.keep(next)) {
        effects.refuse(next.id(), Outcome.STALE, table.epoch());
      }
    }
  }
}
