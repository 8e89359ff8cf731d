package dev.headrace.cluster.cache;

import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.write.caller.Completion;
import dev.headrace.rebalance.write.caller.Request;
import org.jspecify.annotations.Nullable;

/** Carries requests to the owners of their segments. Implemented by the node; thread-safe. */
public interface CallPort {

  /**
   * Answers a GET from this node's own replica.
   *
   * @return null if this node cannot answer it alone
   * @throws dev.headrace.api.error.NodeClosedException after the node was closed
   */
  @Nullable OperationReply readHere(Request get);

  /** Starts a request; time-outs are failures. */
  void submit(Request request, Completion completion);
}
