package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.stream.NodeId;

/**
 * What is left of an owner that is none any more: it serves nobody, but keeps what it has until a
 * new primary has taken what it lacks and serves. Guarded by the lane.
 */
public final class RetiringReplica {
  private final MessageFactory messages;
  private final LaneSettings settings;
  private long askedNanos;

  public RetiringReplica(MessageFactory messages, LaneSettings settings) {
    this.messages = messages;
    this.settings = settings;
  }

  /** Tells the primary, which may never have heard of this segment, that it has a history. */
  public void begin(Effects effects) {
    ask(effects);
  }

  public void renew(SegmentTable newer) {
    messages.renew(newer);
  }

  public void historyRequest(NodeId from, HistoryRequest request, Effects effects) {
    effects.send(from, messages.history(request.afterSequence()));
  }

  public void tick(Effects effects) {
    if (effects.nowNanos() - askedNanos >= settings.resendNanos()) {
      ask(effects);
    }
  }

  private void ask(Effects effects) {
    askedNanos = effects.nowNanos();
    effects.send(messages.table().owner(messages.segment(), 0), messages.replicated(false, false));
  }
}
