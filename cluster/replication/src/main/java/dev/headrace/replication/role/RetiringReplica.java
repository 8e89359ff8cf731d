package dev.headrace.replication.role;

import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.message.Settled;

/**
 * What is left of a former owner: it serves nobody, but keeps what it has until the new primary
 * says that all owners are in sync. Guarded by the lane.
 */
public final class RetiringReplica extends Role {
  private long askedNanos;

  public RetiringReplica(MessageFactory messages, LaneContext around) {
    super(messages, around);
  }

  /** Tells the primary, which may never have heard of this segment, that it has a history. */
  @Override
  public void begin(Effects effects) {
    askedNanos = effects.nowNanos();
    effects.send(primary(), messages.replicated(false, false));
  }

  /** The end of a copy says nothing of what a former owner keeps. */
  @Override
  Role settled(Settled message, Effects effects) {
    return message.copyNumber() == 0 ? retire() : this;
  }

  @Override
  public void tick(Effects effects) {
    if (effects.nowNanos() - askedNanos >= around.settings().resendNanos()) {
      begin(effects);
    }
  }

  @Override
  public boolean unsettled() {
    return true;
  }
}
