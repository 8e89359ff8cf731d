package dev.headrace.replication.role;

import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.message.BeginCopy;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply.Outcome;

/**
 * A node that is nothing to a segment: no owner, or one in a cluster in which nothing was ever
 * written, so that its owners are not final. Guarded by the lane.
 */
public final class NoRole extends Role {
  public NoRole(MessageFactory messages, LaneContext around) {
    super(messages, around);
  }

  /** The first write makes the owners final. */
  @Override
  public void operation(Operation operation, Effects effects) {
    long epoch = table().epoch();
    if (table().written()) {
      super.operation(operation, effects);
    } else if (table().ownerCount(messages.segment()) < around.settings().minOwners()) {
      effects.refuse(operation.id(), Outcome.UNAVAILABLE, epoch);
    } else {
      effects.requestFirstWrite();
      super.operation(operation, effects);
    }
  }

  @Override
  Role beginCopy(BeginCopy message, Effects effects) {
    boolean owner = table().isOwner(messages.segment(), around.settings().self());
    return owner ? this : new Learner(messages, around, 0, effects).beginCopy(message, effects);
  }
}
