package dev.headrace.cluster.node;

import dev.headrace.cluster.wire.ReadReply;
import dev.headrace.cluster.wire.ReadService;
import dev.headrace.rebalance.write.Lanes;
import dev.headrace.stream.batch.BatchReader;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.store.SegmentStore;
import java.nio.ByteBuffer;
import java.util.List;
import org.jctools.queues.MpmcArrayQueue;

/**
 * Answers batches from this node's replicas, for its own streams and those of others. Keeps nothing
 * between requests but some reusable readers.
 */
final class ServedReads implements ReadService {
  private static final int MAX_IDLE_READERS = 16;

  private final Lanes lanes;
  private final CurrentTable table;
  private final MpmcArrayQueue<BatchReader> readers = new MpmcArrayQueue<>(MAX_IDLE_READERS);

  ServedReads(Lanes lanes, CurrentTable table) {
    this.lanes = lanes;
    this.table = table;
  }

  @Override
  public void read(ReadRequest request, ReadReply reply) {
    if (table.orNull() == null) {
      reply.fail("the node has not joined its cluster yet");
      return;
    }
    long epoch = table.view().epoch();
    BatchReader idle = readers.relaxedPoll();
    BatchReader reader = idle == null ? new BatchReader() : idle;
    ByteBuffer entries = reply.entries(request.maxBytes());
    SegmentStore store = lanes.store(request.cache());
    boolean admitted = lanes.admits(request.cache(), request.format());
    int format = admitted ? request.format() : anotherThan(request.format());
    List<SegmentPart> parts = reader.answer(store, format, request, entries);
    reply.answer(epoch, parts, reader.entryBytes());
    readers.relaxedOffer(reader); // beyond the bound it is garbage
  }

  /** A format that the reader refuses; 0 would stand for any. */
  private static int anotherThan(int format) {
    return format == 1 ? 2 : 1;
  }
}
