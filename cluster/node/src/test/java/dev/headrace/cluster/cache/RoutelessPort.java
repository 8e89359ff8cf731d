package dev.headrace.cluster.cache;

import dev.headrace.replication.client.BulkCompletion;
import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.KeyRoutes;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.client.WriteGroups;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.NodeId;
import org.jspecify.annotations.Nullable;

/** A port that finds nothing in its own node and knows no owners: everything is submitted. */
abstract class RoutelessPort implements CallPort {
  @Override
  public @Nullable OperationReply readHere(Request get) {
    return null;
  }

  @Override
  public Batch batch() {
    return RoutingTable.singly(this);
  }

  @Override
  public @Nullable KeyRoutes readRoutes(EncodedKeys keys) {
    return null;
  }

  @Override
  public WriteGroups group(EncodedWrites writes) {
    return WriteGroups.alone(writes);
  }

  @Override
  public @Nullable KeyRoutes writeRoutes(EncodedKeys keys) {
    return null;
  }

  @Override
  public void ask(NodeId node, BulkRead read, BulkCompletion completion) {
    throw new AssertionError("nobody knows whom to ask");
  }
}
