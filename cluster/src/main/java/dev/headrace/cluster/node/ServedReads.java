package dev.headrace.cluster.node;

import dev.headrace.cluster.wire.ReadReply;
import dev.headrace.cluster.wire.ReadService;
import dev.headrace.rebalance.write.Lanes;
import dev.headrace.stream.batch.BatchReader;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.store.Cursor;
import dev.headrace.stream.store.SegmentStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
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
    int start = entries.position();
    List<SegmentPart> parts = reader.answer(store, format, request, entries);
    // Asked after the reading: an owner without a lease may have been replaced meanwhile.
    if (lanes.leaseValid()) {
      reply.answer(epoch, parts, reader.entryBytes());
    } else {
      entries.position(start);
      reply.answer(epoch, notHeld(request), 0);
    }
    readers.relaxedOffer(reader); // beyond the bound it is garbage
  }

  private static List<SegmentPart> notHeld(ReadRequest request) {
    List<SegmentPart> parts = new ArrayList<>();
    for (int segment : request.segments()) {
      boolean first = parts.isEmpty();
      Cursor from = first ? request.firstCursor() : Cursor.START;
      parts.add(new SegmentPart(segment, 0, SegmentPart.Status.NOT_HELD, from));
    }
    return parts;
  }

  /** A format that the reader refuses; 0 would stand for any. */
  private static int anotherThan(int format) {
    return format == 1 ? 2 : 1;
  }
}
