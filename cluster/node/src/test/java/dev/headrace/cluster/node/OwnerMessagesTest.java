package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.WireException;
import dev.headrace.cluster.agreement.NodeProbe;
import dev.headrace.cluster.agreement.OwnerMessages;
import dev.headrace.cluster.agreement.Rebalancing;
import dev.headrace.cluster.message.NodeMessage;
import dev.headrace.cluster.status.OperatorWarnings;
import dev.headrace.cluster.wire.codec.Messages;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.migration.RebalancerSettings;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.ChangesReply;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.repair.Repairs;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** That no message is dropped because nobody takes its type. */
class OwnerMessagesTest {
  private static final NodeId SELF = new NodeId(0, 1);
  private static final NodeId OTHER = new NodeId(0, 2);

  private record Stranger() implements Message {}

  private static OwnerMessages ownerMessages(Lanes lanes) {
    return new OwnerMessages(
        new Rebalancing(
            SELF,
            RebalancerSettings.defaults(),
            NodeProbe.NONE,
            Runnable::run,
            (to, message) -> {},
            proposal -> {},
            completed -> {}),
        new Repairs(
            MachineSettings.ofRepairs(NodeSettings.builder().build(), SELF),
            lanes,
            (to, message) -> {},
            OperatorWarnings::differed));
  }

  @Test
  void aMessageOfAnUnknownTypeIsRefused() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      OwnerMessages messages = ownerMessages(cluster.node(0).lanes());
      assertThatThrownBy(() -> messages.received(OTHER, new Stranger()))
          .isInstanceOf(WireException.class)
          .hasMessage("node " + OTHER + " sent a Stranger, which no part of a node takes");
    }
  }

  @Test
  void everyTypeThatTheEngineDoesNotTakeItselfIsTaken() {
    Set<Class<?>> taken = new HashSet<>();
    try (NodeCluster cluster = NodeCluster.of(1)) {
      Lanes lanes = cluster.node(0).lanes();
      OwnerMessages messages = ownerMessages(lanes);
      Random random = new Random(1);
      for (int i = 0; i < 1000; i++) {
        Message message = Messages.of(random);
        if (isTheEngines(message)) {
          continue;
        }
        try {
          if (!lanes.receive(OTHER, message)) {
            messages.received(OTHER, message);
          }
        } catch (RuntimeException refused) { // there is no such segment, for instance
          assertThat(refused).hasMessageNotContaining("no part of a node");
        }
        taken.add(message.getClass());
      }
    }
    assertThat(taken).hasSizeGreaterThan(12);
  }

  /** See {@link NodeEngine#onMessage}. */
  private static boolean isTheEngines(Message message) {
    return message instanceof Operation
        || message instanceof OperationReply
        || message instanceof BulkRead
        || message instanceof BulkReadReply
        || message instanceof ChangesReply
        || message instanceof TableNotice
        || message instanceof NodeMessage;
  }
}
