package dev.headrace.cluster.node;

import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.cache.CallPort;
import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.write.Lanes;
import dev.headrace.rebalance.write.caller.Caller;
import dev.headrace.rebalance.write.caller.Completion;
import dev.headrace.rebalance.write.caller.Failure;
import dev.headrace.rebalance.write.caller.Request;
import dev.headrace.stream.batch.ReadPort;
import org.jspecify.annotations.Nullable;

/**
 * This node's own calls: reads of its own replicas, requests to others, and the refusal of both
 * when the node is closed or its part of the cluster must not go on. Thread-safe.
 */
final class NodeCalls implements CallPort {
  private final Lanes lanes;
  private final Caller caller;
  private final long timeoutNanos;
  private volatile @Nullable String suspendedBecause;
  private volatile boolean closed;

  NodeCalls(NodeSettings settings, Lanes lanes, Caller caller) {
    this.lanes = lanes;
    this.caller = caller;
    this.timeoutNanos = settings.operationTimeout().toNanos();
  }

  @Override
  public @Nullable OperationReply readHere(Request get) {
    checkOpen();
    return lanes.readHere(get.cache(), get.format(), get.key(), get.wantPrevious());
  }

  @Override
  public void submit(Request request, Completion completion) {
    String reason = suspendedBecause;
    if (reason != null && request.kind().mutation()) {
      completion.failed(Failure.UNAVAILABLE, reason);
      return;
    }
    caller.submit(request, timeoutNanos, completion);
  }

  /** Reads of batches, which fail while this node's part of the cluster must not go on. */
  ReadPort guarding(ReadPort reads) {
    return (node, request, handler) -> {
      String reason = suspendedBecause;
      if (closed) {
        handler.failed(new NodeClosedException("This node was closed; start another"));
      } else if (reason != null) {
        handler.failed(new UnavailableException(reason));
      } else {
        reads.read(node, request, handler);
      }
    };
  }

  /** Sets or, with null, lifts a suspension. */
  void suspended(@Nullable String reason) {
    suspendedBecause = reason;
  }

  void close() {
    closed = true;
    caller.close();
  }

  /**
   * Fails after the node was closed.
   *
   * @throws NodeClosedException then
   */
  void checkOpen() {
    if (closed) {
      throw new NodeClosedException("This node was closed; start another");
    }
  }
}
