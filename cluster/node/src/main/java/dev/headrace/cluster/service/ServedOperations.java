package dev.headrace.cluster.service;

import dev.headrace.cluster.status.CurrentTable;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether this node serves operations of callers on this and other nodes now. It refuses them while
 * its part of the cluster may be outdated, or while the caller does not keep up with the values
 * that it gets; the caller then asks again, or asks another node.
 */
public final class ServedOperations {
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
  public ServedOperations(
      CurrentTable table,
      Transport replies,
      Supplier<@Nullable String> suspendedBecause,
      Predicate<NodeId> congested,
      Foreground foreground) {
    this.table = table;
    this.replies = replies;
    this.suspendedBecause = suspendedBecause;
    this.congested = congested;
    this.foreground = foreground;
  }

  /** Whether an operation is served now; if not, its caller has been told. */
  public boolean admits(NodeId from, Operation operation) {
    foreground.served();
    boolean waits = mustWait(from, operation.kind() == Operation.Kind.GET);
    if (waits) {
      replies.send(
          from,
          OperationReply.refused(
              operation.id(), OperationReply.Outcome.STALE, table.epochOrNone()));
    }
    return !waits;
  }

  /** Whether a read of several keys is served now; if not, its caller has been told. */
  public boolean admits(NodeId from, BulkRead read) {
    foreground.served();
    boolean waits = mustWait(from, true);
    if (waits) {
      replies.send(from, BulkReadReply.none(read, table.epochOrNone()));
    }
    return !waits;
  }

  /** Whether messages that have come together are served together, and not one by one. */
  public boolean admitsGroups() {
    boolean serves = suspendedBecause.get() == null;
    if (serves) {
      foreground.served();
    }
    return serves;
  }

  private boolean mustWait(NodeId from, boolean read) {
    return suspendedBecause.get() != null || (read && congested.test(from));
  }
}
