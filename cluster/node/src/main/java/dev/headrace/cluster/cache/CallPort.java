package dev.headrace.cluster.cache;

import dev.headrace.replication.client.BulkCompletion;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.KeyRoutes;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.client.WriteGroups;
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
   * Begins a batch of requests: those in a row that go to one node are sent together.
   *
   * @return a batch for the calling thread only
   */
  Batch batch();

  /** Requests of one thread. */
  interface Batch {

    /** Like {@link CallPort#submit}, but the request may be sent only by {@link #send}. */
    void submit(Request request, Completion completion);

    /** Sends all requests that were not sent yet. */
    void send();
  }

  /**
   * Groups keys by the nodes from which they should be read now.
   *
   * @return the keys grouped by nodes; null if this node does not know
   */
  @Nullable KeyRoutes readRoutes(EncodedKeys keys);

  /**
   * Groups keys by the nodes that should write them now.
   *
   * @return the keys grouped by nodes; null if this node does not know
   */
  @Nullable KeyRoutes writeRoutes(EncodedKeys keys);

  /**
   * Groups writes, so that they are as few operations as they can be.
   *
   * @param writes not changed from now on
   */
  WriteGroups group(EncodedWrites writes);

  /**
   * Asks a node, which may be this one, for many values, once. Use {@link #submit} for keys without
   * a plain answer; it tells the reason.
   *
   * @param completion gets the answer, or is told that none comes
   */
  void ask(NodeId node, BulkRead read, BulkCompletion completion);
}
