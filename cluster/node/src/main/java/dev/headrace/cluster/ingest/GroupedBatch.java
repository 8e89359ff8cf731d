package dev.headrace.cluster.ingest;

import static java.util.Objects.requireNonNull;

import dev.headrace.cluster.cache.CallPort;
import dev.headrace.cluster.ingest.batch.PendingWrite;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.client.WriteGroups;
import dev.headrace.replication.message.EncodedEntries;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import java.util.List;

/**
 * Sends the writes of a batch as few operations, and tells each write how its own ended.
 *
 * <p>An operation that was refused because of what it writes, and so has had no effect, is divided
 * into its writes: which of them is too large, or has no room, only they can find out.
 */
final class GroupedBatch {

  private GroupedBatch() {}

  /** Submits all writes of a batch, which are of one cache and one kind. */
  static void submit(List<PendingWrite> writes, CallPort port, CallPort.Batch batch) {
    WriteGroups groups = port.group(encoded(writes));
    Request first = writes.get(0).request();
    boolean ifAbsent = first.kind() == Kind.PUT_IF_ABSENT;
    for (int group = 0; group < groups.count(); group++) {
      int size = groups.size(group);
      if (size == 1) {
        PendingWrite only = writes.get(groups.index(group, 0));
        batch.submit(only.request(), only);
      } else {
        PendingWrite[] together = new PendingWrite[size];
        for (int entry = 0; entry < size; entry++) {
          together[entry] = writes.get(groups.index(group, entry));
        }
        batch.submit(
            groups.request(group, first.cache(), first.format(), ifAbsent),
            new Together(together, port));
      }
    }
  }

  private static EncodedWrites encoded(List<PendingWrite> writes) {
    EncodedWrites encoded = new EncodedWrites();
    for (PendingWrite write : writes) {
      Request request = write.request();
      encoded.add(request.key(), requireNonNull(request.value(), "value"), request.expiryMillis());
    }
    return encoded;
  }

  /** The end of an operation that carries out several writes. */
  private static final class Together implements Completion {
    private final PendingWrite[] writes; // in the order of the operation's entries
    private final CallPort port;

    Together(PendingWrite[] writes, CallPort port) {
      this.writes = writes;
      this.port = port;
    }

    @Override
    public void done(OperationReply reply) {
      for (int i = 0; i < writes.length; i++) {
        writes[i].done(!EncodedEntries.isLeft(reply.value(), i));
      }
    }

    @Override
    public void resent() {
      for (PendingWrite write : writes) {
        write.resent();
      }
    }

    @Override
    public void failed(OperationFault fault) {
      boolean divides =
          fault.failure() == Failure.TOO_LARGE || fault.failure() == Failure.MEMORY_FULL;
      for (PendingWrite write : writes) {
        if (divides) {
          port.submit(write.request(), write);
        } else {
          write.failed(fault);
        }
      }
    }
  }
}
