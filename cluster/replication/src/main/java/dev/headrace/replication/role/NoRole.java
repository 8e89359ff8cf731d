package dev.headrace.replication.role;

import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.message.BeginCopy;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.stream.NodeId;

/**
 * A node that is nothing to a segment: no owner, or one in a cluster in which nothing was ever
 * written, so that its owners are not final. Guarded by the lane.
 */
public final class NoRole extends Role {
  public NoRole(MessageFactory messages, LaneContext around) {
    super(messages, around);
  }

  /** The first write makes the owners final; until then there is nothing to count. */
  @Override
  public void operation(Operation operation, Effects effects) {
    NodeId caller = operation.id().caller();
    long sequence = operation.id().sequence();
    long epoch = table().epoch();
    if (table().written()) {
      super.operation(operation, effects);
    } else if (!operation.kind().mutation()) {
      effects.send(caller, new OperationReply(sequence, Outcome.DONE, true, null, 0, 0, 0, epoch));
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
