package dev.headrace.cluster.cache;

import dev.headrace.replication.client.BulkCompletion;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.KeyRoutes;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.NodeId;
import org.jspecify.annotations.Nullable;

/** Carries requests to the owners of their segments. Implemented by the node; thread-safe. */
public interface CallPort {

  /**
   * Answers a GET from this node's own replica.
   *
   * @param get a request of kind GET
   * @return the reply as an owner would send it; null if this node cannot answer it alone
   * @throws dev.headrace.api.error.NodeClosedException after the node was closed
   */
  @Nullable OperationReply readHere(Request get);

  /**
   * Starts a request; time-outs are failures.
   *
   * @param completion is told how it ended, perhaps before this returns, on any thread
   */
  void submit(Request request, Completion completion);

  /**
   * Begins requests that leave together if they go to one node one after the other.
   *
   * @return for the calling thread only
   */
  Batch batch();

  /** Requests of one thread. */
  interface Batch {

    /** As {@link CallPort#submit}, but it may not leave before {@link #send}. */
    void submit(Request request, Completion completion);

    /** Sees to it that all have left. */
    void send();
  }

  /**
   * Which nodes keys are to be read from now.
   *
   * @return the keys grouped by nodes; null if this node does not know
   */
  @Nullable KeyRoutes readRoutes(EncodedKeys keys);

  /**
   * Which nodes keys are to be written by now.
   *
   * @return the keys grouped by nodes; null if this node does not know
   */
  @Nullable KeyRoutes writeRoutes(EncodedKeys keys);

  /**
   * Asks a node, which may be this one, for many values, once. What has no plain answer is to be
   * asked for by {@link #submit}, which tells why.
   *
   * @param completion is told the answer, or that there is none
   */
  void ask(NodeId node, BulkRead read, BulkCompletion completion);
}
