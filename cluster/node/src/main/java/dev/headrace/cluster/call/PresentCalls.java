package dev.headrace.cluster.call;

import dev.headrace.cluster.cache.CallPort;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The calls of the present life of a node of capacity 0. Thread-safe. */
final class PresentCalls implements CallPort {
  private final Supplier<NodeCalls> present;

  PresentCalls(Supplier<NodeCalls> present) {
    this.present = present;
  }

  @Override
  public @Nullable OperationReply readHere(Request get) {
    return present.get().readHere(get);
  }

  @Override
  public void submit(Request request, Completion completion) {
    present.get().submit(request, completion);
  }

  @Override
  public Batch batch() {
    return present.get().batch();
  }

  @Override
  public @Nullable KeyRoutes readRoutes(EncodedKeys keys) {
    return present.get().readRoutes(keys);
  }

  @Override
  public WriteGroups group(EncodedWrites writes) {
    return present.get().group(writes);
  }

  @Override
  public @Nullable KeyRoutes writeRoutes(EncodedKeys keys) {
    return present.get().writeRoutes(keys);
  }

  @Override
  public void ask(NodeId node, BulkRead read, BulkCompletion completion) {
    present.get().ask(node, read, completion);
  }
}
