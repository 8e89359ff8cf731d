package dev.headrace.cluster.service;

import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.cache.Formats;
import dev.headrace.cluster.read.ReadReply;
import dev.headrace.cluster.read.ReadService;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.BatchReader;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.batch.SegmentPart.Status;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.function.FunctionTable;
import dev.headrace.stream.operator.Operators;
import dev.headrace.stream.store.SegmentStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests for batches from this node's replicas, for its own streams and those of other
 * nodes. Keeps nothing between requests except some reusable readers.
 */
public final class ServedReads implements ReadService {
  private static final Logger LOG = LoggerFactory.getLogger(ServedReads.class);

  private static final int MAX_IDLE_READERS = 16;

  /**
   * The most bytes of entries in one answer, whatever its request claims, unless a single entry is
   * larger: what is made for an answer never exceeds this and what is stored here.
   */
  public static final int MAX_ANSWER_BYTES = 4 << 20;

  private final NodeId self;
  private final Lanes lanes;
  private final Supplier<@Nullable String> suspendedBecause;
  private final Foreground foreground;
  private final Functions functions;
  private final Queue<BatchReader> readers = new ArrayBlockingQueue<>(MAX_IDLE_READERS);

  /**
   * Functions that streams may call on this node.
   *
   * @param executor runs requests that call them, since they may take long; may refuse when too
   *     many wait
   */
  public record Functions(FunctionTable table, Executor executor) {

    /** The functions that a node's settings register. */
    public static Functions of(NodeSettings settings, LongSupplier nanoTime, Executor executor) {
      FunctionTable registered =
          new FunctionTable(
              settings.nodeName(),
              settings.functions(),
              Formats::hash,
              settings::maxEntryBytes,
              nanoTime);
      return new Functions(registered, executor);
    }
  }

  /**
   * @param suspendedBecause why this node must not serve what may be outdated; null if it may
   * @param foreground told of each read
   * @param functions what streams may call
   */
  public ServedReads(
      NodeId self,
      Lanes lanes,
      Supplier<@Nullable String> suspendedBecause,
      Foreground foreground,
      Functions functions) {
    this.self = self;
    this.lanes = lanes;
    this.suspendedBecause = suspendedBecause;
    this.foreground = foreground;
    this.functions = functions;
  }

  @Override
  public void read(ReadRequest request, ReadReply reply) {
    Operators operators = request.operators();
    if (operators == null || !operators.callsFunctions()) {
      answer(request, reply);
      return;
    }
    try {
      functions.executor().execute(() -> answerApart(request, reply));
    } catch (RejectedExecutionException e) {
      reply.fail("too many requests that call functions wait here, or the node closes");
    }
  }

  /** Answers on a thread whose failures nobody else reports. */
  private void answerApart(ReadRequest request, ReadReply reply) {
    try {
      answer(request, reply);
    } catch (RuntimeException | Error e) {
      LOG.error("A read of cache " + request.cache() + " failed", e);
      reply.fail("the node failed while it read: " + e);
    }
  }

  private void answer(ReadRequest request, ReadReply reply) {
    boolean copied = request.projection() == Projection.REPLICA;
    if (!copied) {
      foreground.served();
    }
    SegmentTable now = lanes.table();
    if (now == null) {
      reply.fail("the node has not joined its cluster yet");
      return;
    }
    BatchReader idle = readers.poll();
    BatchReader reader = idle == null ? new BatchReader(functions.table()) : idle;
    SegmentStore store = lanes.store(request.cache());
    boolean admitted = lanes.admits(request.cache(), request.format());
    int format = admitted ? request.format() : anotherThan(request.format());
    int room = Math.min(MAX_ANSWER_BYTES, BatchReader.roomBytes(store, request));
    ByteBuffer entries = reply.entries(room);
    int start = entries.position();
    int own = now.ordinal(self);
    // A copy is told which mutations it may contain instead.
    IntPredicate owned = segment -> copied || now.isOwner(segment, own);
    List<SegmentPart> parts = reader.answer(store, owned, format, request, entries);
    while (reader.entryBytes() > 0 && reader.entryBytes() <= request.maxBytes()) {
      // The room is too small for the first entry, the request is not. At least twice as much each
      // time, should somebody make the entry larger all the while.
      room = (int) Math.min(request.maxBytes(), Math.max(reader.entryBytes(), 2L * room));
      entries = reply.entries(room);
      if (entries.remaining() < reader.entryBytes()) {
        reply.fail(
            "an entry of " + reader.entryBytes() + " bytes is larger than an answer: select less");
        return;
      }
      start = entries.position();
      parts = reader.answer(store, owned, format, request, entries);
    }
    // Asked after the reading: an owner without a lease may have been replaced meanwhile. A learner
    // need not know that, only which mutations it may have been given.
    String reason = suspendedBecause.get();
    if (copied) {
      reply.answer(now.epoch(), parts, reader.entryBytes(), lanes.readThrough(request));
    } else if (reason != null) {
      reply.fail(reason);
    } else if (lanes.mayAnswer(now, segments(parts))) {
      reply.answer(now.epoch(), parts, reader.entryBytes(), Batch.NO_SEQUENCE);
    } else {
      entries.position(start);
      reply.answer(now.epoch(), notHeld(request), 0, Batch.NO_SEQUENCE);
    }
    readers.offer(reader); // beyond the bound it is garbage
  }

  /** Those of which anything was read. */
  private static int[] segments(List<SegmentPart> parts) {
    int[] segments = new int[parts.size()];
    int count = 0;
    for (SegmentPart part : parts) {
      if (part.status() != Status.NOT_HELD) {
        segments[count++] = part.segment();
      }
    }
    return count == segments.length ? segments : Arrays.copyOf(segments, count);
  }

  private static List<SegmentPart> notHeld(ReadRequest request) {
    List<SegmentPart> parts = new ArrayList<>();
    for (int segment : request.segments()) {
      boolean first = parts.isEmpty();
      Cursor from = first ? request.firstCursor() : Cursor.START;
      parts.add(new SegmentPart(segment, 0, Status.NOT_HELD, from));
    }
    return parts;
  }

  /** A format that the reader refuses; 0 would mean any format. */
  private static int anotherThan(int format) {
    return format == 1 ? 2 : 1;
  }
}
