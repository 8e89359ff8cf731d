package dev.headrace.cluster.agreement;

import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.replication.message.CopyStateReport;
import dev.headrace.replication.message.RepairMessage;
import dev.headrace.replication.repair.Repairs;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;

/** Passes on the messages of moves and repairs, between nodes that own segments or shall. */
public final class OwnerMessages {
  private final Rebalancing rebalancing;
  private final Repairs repairs;

  public OwnerMessages(Rebalancing rebalancing, Repairs repairs) {
    this.rebalancing = rebalancing;
    this.repairs = repairs;
  }

  /**
   * Passes on a message that no other part of the node takes.
   *
   * @throws WireException if no part takes it
   */
  public void received(NodeId from, Message message) {
    if (message instanceof CopyStateReport report) {
      rebalancing.reported(report);
    } else if (message instanceof RebalanceProgress progress) {
      rebalancing.told(from, progress);
    } else if (message instanceof MovesNotice moves) {
      rebalancing.told(from, moves);
    } else if (message instanceof RepairMessage repair) {
      repairs.received(from, repair);
    } else {
      throw new WireException(
          "node %s sent a %s, which no part of a node takes"
              .formatted(from, message.getClass().getSimpleName()));
    }
  }
}
