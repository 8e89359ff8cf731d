package dev.headrace.http.change;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.ChangeListener;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.exchange.Problems;
import dev.headrace.http.exchange.SinkPace;
import dev.headrace.http.exchange.StreamedBody;
import dev.headrace.http.export.ActiveStreams;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes on their way to a socket. It asks for the next change while the sink has room: a reader
 * that stalls keeps nothing on any node, and gets a summary when it has fallen too far behind.
 *
 * <p>Each event is sent at once. An id follows at most every {@link #ID_NANOS}, unless each event
 * is to have one: ids take some bytes for each segment.
 *
 * <p>The stream's signals come one at a time, and only they write, apart from the comments of the
 * event loop, which lie between two events.
 */
final class ChangesBody
    implements StreamedBody, Subscriber<Change<byte[], byte[]>>, ChangeListener {

  /** What the stream may have buffered or in flight. */
  static final int BATCH_BYTES = 32 << 10;

  private static final long ID_NANOS = 200_000_000L;
  private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.UTF_8);
  private static final Logger LOG = LoggerFactory.getLogger(ChangesBody.class);

  private final ChangeStream<byte[], byte[]> stream;
  private final ChangeEvents events;
  private final boolean everyId;
  private final ActiveStreams.Place place;
  private final Consumer<Throwable> failed;
  private final SinkPace pace;
  private final AtomicBoolean done = new AtomicBoolean();
  private volatile @Nullable BodySink sink;

  // Used by the stream's signals only.
  private final ByteOutput out = new ByteOutput();
  private long idNanos = System.nanoTime() - ID_NANOS;

  /**
   * A body.
   *
   * @param stream prepares the stream that this body listens to
   * @param events writes changes
   * @param everyId whether each event has an id
   * @param place is left when nothing is held any more
   * @param failed is told what the stream fails with
   */
  ChangesBody(
      ChangeStream<byte[], byte[]> stream,
      ChangeEvents events,
      boolean everyId,
      ActiveStreams.Place place,
      Consumer<Throwable> failed) {
    this.stream = stream;
    this.events = events;
    this.everyId = everyId;
    this.place = place;
    this.failed = failed;
    this.pace = new SinkPace(place.figures()::paused);
  }

  // ---- The connection

  @Override
  public void begin(BodySink begun) {
    sink = begun;
    begun.write(COMMENT.clone()); // so that a client knows that it is heard
    try {
      stream.listener(this).changes().subscribe(this);
    } catch (RuntimeException e) { // the node was closed in between, for example
      onError(e);
    }
  }

  @Override
  public void room() {
    pace.room();
  }

  @Override
  public byte[] whileQuiet() {
    return COMMENT.clone();
  }

  @Override
  public void cancelled() {
    if (finish()) {
      pace.cancel();
    }
  }

  // ---- The stream

  @Override
  public void onSubscribe(Subscription begun) {
    pace.begin(begun);
    BodySink to = sink;
    if (done.get() || to == null) {
      begun.cancel();
      return;
    }
    pace.next(to);
  }

  @Override
  public void started() {
    events.started(out);
    flush();
  }

  @Override
  public void onNext(Change<byte[], byte[]> change) {
    BodySink to = sink;
    if (done.get() || to == null) {
      return;
    }
    place.figures().entry();
    try {
      events.change(change, out);
    } catch (RuntimeException e) { // whatever a format finds wrong with bytes
      pace.cancel();
      end(
          Problems.json(
              409, "An entry has bytes that are none of the cache's formats: " + e.getMessage()),
          "");
      return;
    }
    flush();
    pace.next(to);
  }

  @Override
  public void consumed(Supplier<String> token) {
    if (done.get() || !(everyId || System.nanoTime() - idNanos >= ID_NANOS)) {
      return;
    }
    idNanos = System.nanoTime();
    events.token(token.get(), out);
    flush();
  }

  @Override
  public void segmentCompleted(int segment) {
    place.figures().completed(segment);
  }

  @Override
  public void onComplete() {
    end(Problems.json(503, "The changes have ended; ask again"), "");
  }

  @Override
  public void onError(Throwable failure) {
    failed.accept(failure);
    int status = failure instanceof HeadraceException fault ? Problems.status(fault) : 500;
    if (!(failure instanceof HeadraceException)) {
      LOG.error("Changes over HTTP failed", failure);
    }
    String token =
        failure instanceof StreamInterruptedException interrupted ? interrupted.resumeToken() : "";
    end(Problems.json(status, String.valueOf(failure.getMessage())), token);
  }

  private void end(String problem, String token) {
    BodySink to = sink;
    if (to == null || !finish()) {
      return;
    }
    events.failure(problem, token, out);
    write(to);
    to.end(Map.of());
  }

  private void flush() {
    BodySink to = sink;
    if (to != null && !done.get()) {
      write(to);
    }
  }

  private void write(BodySink to) {
    if (out.size() > 0) {
      byte[] piece = Arrays.copyOf(out.array(), out.size());
      out.reset();
      place.figures().sent(piece.length);
      to.write(piece);
    }
  }

  private boolean finish() {
    boolean first = done.compareAndSet(false, true);
    if (first) {
      place.leave();
    }
    return first;
  }
}
