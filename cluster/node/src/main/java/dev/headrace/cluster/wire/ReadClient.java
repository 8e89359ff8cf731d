package dev.headrace.cluster.wire;

import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.codec.AnswerCodec;
import dev.headrace.cluster.wire.codec.BodyCodec;
import dev.headrace.cluster.wire.codec.ReadRequestCodec;
import dev.headrace.cluster.wire.codec.WireInput;
import dev.headrace.cluster.wire.connection.ConnectionClass;
import dev.headrace.cluster.wire.connection.Frame;
import dev.headrace.cluster.wire.connection.FrameReceiver;
import dev.headrace.cluster.wire.connection.Handshake;
import dev.headrace.cluster.wire.connection.Link;
import dev.headrace.cluster.wire.connection.LinkUse;
import dev.headrace.cluster.wire.connection.Wire;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.SegmentPart;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requesting end of a connection for batches. The body of an answer stays in the buffer into
 * which it was received until its batch is released. Thread-safe.
 */
final class ReadClient implements LinkUse<PendingRemoteRead>, FrameReceiver {

  /** The most requests that wait for their answers on one connection. */
  static final int MAX_PENDING = 1 << 16;

  private static final Logger log = LoggerFactory.getLogger(ReadClient.class);

  private final NodeId peer;
  private final WireSettings settings;
  private final Link<PendingRemoteRead> link;
  private final WireInput in = new WireInput(); // used by the event loop

  /**
   * Entries are added, and all are removed, under the link's lock; the event loop removes single
   * ones.
   */
  private final Map<Long, PendingRemoteRead> pending = new ConcurrentHashMap<>();

  /**
   * @param share which of this node's connections for batches to the peer it is, from 0
   */
  ReadClient(Wire wire, NodeId peer, WireSettings settings, int share) {
    this.peer = peer;
    this.settings = settings;
    this.link = new Link<>(wire, peer, ConnectionClass.BULK, share, new RequestCodec(), this);
  }

  /** The number of requests that wait for their answers. */
  int pending() {
    return pending.size();
  }

  /** Sends a request. Its handler gets the outcome. */
  void read(PendingRemoteRead read) {
    if (pending.size() >= MAX_PENDING || !link.send(read)) {
      read.handler()
          .failed(
              new UnavailableException(
                  ("node %s cannot be asked: its connection is closed, or too many requests"
                          + " wait for answers")
                      .formatted(peer)));
    }
  }

  void close(Throwable cause) {
    var unused = link.close(false, cause); // no request waits for an answer
  }

  @Override
  public long maxQueuedBytes() {
    return settings.queueLimitBytes();
  }

  @Override
  public void sending(long number, PendingRemoteRead read) {
    pending.put(number, read);
  }

  @Override
  public Runnable lost(Throwable cause) {
    List<PendingRemoteRead> failed = List.copyOf(pending.values());
    pending.clear();
    return () -> {
      for (PendingRemoteRead read : failed) {
        guard(() -> read.handler().failed(cause));
      }
    };
  }

  @Override
  public FrameReceiver receiver() {
    return this;
  }

  @Override
  public int bodyLimitBytes(byte type, long correlation) {
    PendingRemoteRead read = pending.get(correlation);
    if (read == null || (type != Frame.ANSWER && type != Frame.READ_FAILED)) {
      throw new WireException(
          "a frame of type %d with the number %d, which no request has"
              .formatted(type, correlation));
    }
    if (type == Frame.READ_FAILED) {
      return Handshake.LIMIT_BYTES;
    }
    long limit =
        (long) AnswerCodec.ENTRIES_AT
            + read.request().maxBytes()
            + AnswerCodec.roomForParts(read.request().segments().length)
            + settings.maxEntryBytes().getAsInt(); // a cursor's key
    return (int) Math.min(Integer.MAX_VALUE - 1024, limit);
  }

  @Override
  public boolean keepsBody(byte type) {
    return type == Frame.ANSWER;
  }

  @Override
  public void frame(byte type, long correlation, ByteBuf body) {
    PendingRemoteRead read = pending.get(correlation);
    if (read == null) {
      return; // the link has been closed since
    }
    if (type == Frame.READ_FAILED) {
      String reason = in.over(body).readName();
      if (pending.remove(correlation) != null) {
        guard(
            () -> read.handler().failed(new WireException("node %s: %s".formatted(peer, reason))));
      }
      return;
    }
    Batch batch = batch(read, body);
    if (pending.remove(correlation) == null) {
      batch.release();
    } else {
      guard(() -> read.handler().received(batch));
    }
  }

  private Batch batch(PendingRemoteRead read, ByteBuf body) {
    int start = body.readerIndex();
    int bytes = AnswerCodec.skipEntries(body, in.over(body), read.request().maxBytes());
    List<SegmentPart> parts = parts(read, body);
    Batch batch = AnswerCodec.batch(body, start, bytes, parts, body::release);
    body.retain();
    return batch;
  }

  private List<SegmentPart> parts(PendingRemoteRead read, ByteBuf body) {
    try {
      return AnswerCodec.decodeParts(in.over(body), read.request().maxEntries());
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new WireException("the body of a batch is malformed", e);
    }
  }

  private void guard(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      log.error("An answer of node {} could not be handled", peer, e);
    }
  }

  /** Encodes the request, without its handler. */
  private static final class RequestCodec implements BodyCodec<PendingRemoteRead> {
    private final ReadRequestCodec requests = new ReadRequestCodec();

    @Override
    public long boundBytes(PendingRemoteRead read) {
      return requests.boundBytes(read.request());
    }

    @Override
    public void encode(PendingRemoteRead read, ByteBuf out) {
      requests.encode(read.request(), out);
    }

    @Override
    public PendingRemoteRead decode(WireInput in) {
      throw new UnsupportedOperationException(
          "Requests are only encoded here, see ReadRequestCodec");
    }
  }
}
