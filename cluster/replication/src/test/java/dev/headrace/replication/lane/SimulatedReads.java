package dev.headrace.replication.lane;

import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.BatchReader;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reads of ranges as messages, so that whatever loses, doubles or delays messages does it to them,
 * too. A handler is told of each answer that comes, though a real one would be told once.
 */
final class SimulatedReads implements ReadPort {
  private final Lanes lanes;
  private final Transport network;
  private final Map<Long, Asked> handlers = new TreeMap<>();
  private long asked;

  /** Runs what a serving node does a moment later: between its parts others have their turn. */
  Consumer<Runnable> later = Runnable::run;

  private record Asked(NodeId node, ReadHandler handler) {}

  record RangeQuestion(long number, ReadRequest request) implements Message {}

  /** What the serving node has read. */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
  record RangeAnswer(long number, long sequence, SegmentPart part, long entryBytes, byte[] entries)
      implements Message {}

  /**
   * @param lanes are asked
   */
  SimulatedReads(Lanes lanes, Transport network) {
    this.lanes = lanes;
    this.network = network;
  }

  @Override
  public void read(NodeId node, ReadRequest request, ReadHandler handler) {
    handlers.put(++asked, new Asked(node, handler));
    network.send(node, new RangeQuestion(asked, request));
  }

  /** Fails everything that a node was asked, answered or not. */
  void disconnected(NodeId node) {
    for (Asked one : List.copyOf(handlers.values())) {
      if (one.node.equals(node)) {
        one.handler.failed(new IllegalStateException("connection lost"));
      }
    }
  }

  boolean received(NodeId from, Message message) {
    if (message instanceof RangeQuestion question) {
      later.accept(() -> serve(from, question));
      return true;
    }
    if (message instanceof RangeAnswer answer) {
      handlers
          .get(answer.number)
          .handler
          .received(
              new Batch(
                  0,
                  ByteBuffer.wrap(answer.entries),
                  List.of(answer.part),
                  answer.entryBytes,
                  answer.sequence,
                  () -> {}));
      return true;
    }
    return false;
  }

  /** Reads the first entries, later the others, and still later which mutations there are. */
  private void serve(NodeId from, RangeQuestion question) {
    ReadRequest request = question.request;
    ByteBuffer out = ByteBuffer.allocate(request.maxBytes());
    BatchReader reader = new BatchReader();
    SegmentPart first = read(reader, request, 3, out);
    later.accept(
        () -> {
          SegmentPart part = first;
          if (first.status() == SegmentPart.Status.MORE && out.hasRemaining()) {
            part = read(reader, from(request, first), Integer.MAX_VALUE, out);
          }
          boolean large = part.status() == SegmentPart.Status.TOO_LARGE;
          SegmentPart read = large && first.entries() > 0 ? first : part;
          long entryBytes = read.equals(part) ? reader.entryBytes() : 0;
          byte[] entries = Arrays.copyOf(out.array(), out.position());
          later.accept(
              () ->
                  network.send(
                      from,
                      new RangeAnswer(
                          question.number, lanes.readThrough(request), read, entryBytes, entries)));
        });
  }

  private SegmentPart read(
      BatchReader reader, ReadRequest request, int maxEntries, ByteBuffer out) {
    ReadRequest limited =
        new ReadRequest(
            request.cache(),
            request.format(),
            request.epoch(),
            request.segments(),
            request.incarnations(),
            request.firstCursor(),
            maxEntries,
            Math.max(1, out.remaining()),
            request.alone(),
            request.projection(),
            null);
    return reader.answer(lanes.store(request.cache()), 0, limited, out).get(0);
  }

  private static ReadRequest from(ReadRequest request, SegmentPart part) {
    return new ReadRequest(
        request.cache(),
        request.format(),
        request.epoch(),
        request.segments(),
        request.incarnations(),
        part.cursor(),
        request.maxEntries(),
        request.maxBytes(),
        request.alone(),
        request.projection(),
        null);
  }
}
