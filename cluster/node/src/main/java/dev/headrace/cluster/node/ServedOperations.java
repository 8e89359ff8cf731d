package dev.headrace.cluster.node;

import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes operations of callers on this and other nodes to the lanes. It refuses them while this
 * node's part of the cluster may be outdated, or while the caller does not keep up with the values
 * that it gets; the caller then asks again, or asks another node.
 */
final class ServedOperations {
  private final Lanes lanes;
  private final CurrentTable table;
  private final Transport replies;
  private final Supplier<@Nullable String> suspendedBecause;
  private final Predicate<NodeId> congested;
  private final Foreground foreground;

  /**
   * @param suspendedBecause why this node must not serve what may be outdated; null if it may
   * @param congested whether so much waits for a node that no values should be sent to it now
   * @param foreground told of each operation
   */
  ServedOperations(
      Lanes lanes,
      CurrentTable table,
      Transport replies,
      Supplier<@Nullable String> suspendedBecause,
      Predicate<NodeId> congested,
      Foreground foreground) {
    this.lanes = lanes;
    this.table = table;
    this.replies = replies;
    this.suspendedBecause = suspendedBecause;
    this.congested = congested;
    this.foreground = foreground;
  }

  void operation(NodeId from, Operation operation) {
    foreground.served();
    if (mustWait(from, operation.kind() == Operation.Kind.GET)) {
      replies.send(
          from,
          OperationReply.refused(
              operation.id(), OperationReply.Outcome.STALE, table.epochOrNone()));
    } else {
      lanes.receive(from, operation);
    }
  }

  /**
   * Messages that have come together, of operations and others.
   *
   * @param single takes each of them that has to be handled by itself
   */
  void together(NodeId from, List<? extends Message> messages, Consumer<Message> single) {
    if (suspendedBecause.get() == null) {
      foreground.served();
      lanes.receive(from, messages, single);
    } else {
      messages.forEach(single);
    }
  }

  void bulkRead(NodeId from, BulkRead read) {
    foreground.served();
    if (mustWait(from, true)) {
      replies.send(from, BulkReadReply.none(read, table.epochOrNone()));
    } else {
      lanes.receive(from, read);
    }
  }

  private boolean mustWait(NodeId from, boolean read) {
    return suspendedBecause.get() != null || (read && congested.test(from));
  }
}
