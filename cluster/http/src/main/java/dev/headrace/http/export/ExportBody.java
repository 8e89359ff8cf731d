package dev.headrace.http.export;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamDeadlineException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.exchange.Problems;
import dev.headrace.http.exchange.SinkPace;
import dev.headrace.http.exchange.StreamedBody;
import dev.headrace.stream.pull.CreditListener;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache's content on its way to a socket. It asks the stream for the next entry while the sink
 * has room, and else waits until it has: a reader that stalls stops the stream on every node.
 *
 * <pre>
 * state    event               guard                        next     effects
 * ----------------------------------------------------------------------------------------------
 * FLOWING  an entry            room                         FLOWING  write it, ask for the next
 * FLOWING  an entry            no room                      PAUSED   write it
 * PAUSED   room                                             FLOWING  ask for the next
 * PAUSED   stalled                                          PAUSED   the stream gives back what it
 *                                                                    has read ahead
 * FLOWING  end of a batch      enough entries               DONE     end with a token
 * FLOWING  end of a batch      time for a token             same     write one
 * any      the stream's time   it has a token               DONE     end with the token
 *          is over
 * any      end of the stream                                DONE     end
 * any      the stream fails                                 DONE     say why, break the connection
 * any      cancelled                                        DONE     end the stream
 * </pre>
 *
 * <p>The stream's signals come one at a time, and only they write: on the event loop, so that
 * nothing has to be handed from thread to thread, unless the body is compressed, or entries are
 * passed over, which take long. {@link #room}, {@link #stalled} and {@link #cancelled} come from
 * the event loop and touch nothing but atomics and the pace.
 *
 * @param <T> entries, or rows of some of their parts
 */
final class ExportBody<T> implements StreamedBody, Subscriber<T>, CreditListener {

  /**
   * The most that waits in this node for a reader that has stood still for a while, entries larger
   * apart: an answer of which some was written, what waits for the socket, and a piece.
   */
  static final int HELD_BYTES = 64 << 10;

  /** Of these, what a node answers at once. */
  private static final int REQUEST_BYTES = 32 << 10;

  /** What the stream may have buffered or in flight while its reader reads. */
  static final int BATCH_BYTES = 256 << 10;

  /** A piece is sent when it has so many bytes. */
  private static final int PIECE_BYTES = 16 << 10;

  private static final long TOKEN_NANOS = 1_000_000_000L;
  private static final Logger LOG = LoggerFactory.getLogger(ExportBody.class);

  private final ElementWriter<T> writer;
  private final @Nullable Compression compression;

  /** Whether the stream's signals come on threads of the node, and not on the event loop. */
  private final boolean aside;

  private final long limit;
  private final boolean tokens;
  private final Predicate<T> wanted;
  private final StreamFigures figures;
  private final Consumer<@Nullable Throwable> ended;
  private final Source<T> stream;
  private final SinkPace pace;
  private final AtomicBoolean done = new AtomicBoolean();
  private volatile @Nullable BodySink sink;

  // Used by the stream's signals only, and by tasks that follow them if they come on the event
  // loop.
  private final ByteOutput out = new ByteOutput(PIECE_BYTES + 1024);
  private long entries;
  private long tokenNanos = System.nanoTime();
  private boolean flushing;

  /**
   * Makes the stream that a body listens to.
   *
   * @param <T> its elements
   */
  @FunctionalInterface
  interface Source<T> {

    /**
     * Makes it.
     *
     * @param executor runs it; null for the node's own
     */
    StreamPublisher<T> of(StreamListener listener, @Nullable Executor executor);
  }

  /**
   * A body.
   *
   * @param request what is wanted
   * @param writer writes entries
   * @param wanted whether an element is wanted
   * @param figures shows how far it is
   * @param stream makes the stream that this body listens to
   * @param ended is told once that nothing is held any more, and what the stream failed with; null
   *     if it did not
   */
  ExportBody(
      ExportRequest request,
      ElementWriter<T> writer,
      Predicate<T> wanted,
      StreamFigures figures,
      Source<T> stream,
      Consumer<@Nullable Throwable> ended) {
    this.writer = writer;
    this.compression = request.coding() == null ? null : new Compression(request.coding());
    this.aside = compression != null || request.selection().isSelective();
    this.limit = request.limit();
    this.tokens = request.tokens();
    this.wanted = wanted;
    this.figures = figures;
    this.stream = stream;
    this.ended = ended;
    this.pace = new SinkPace(figures::paused);
  }

  // ---- The connection

  @Override
  public void begin(BodySink begun) {
    sink = begun;
    try {
      stream.of(this, aside ? null : begun.executor()).subscribe(this);
    } catch (RuntimeException e) { // the node was closed in between, for example
      onError(e);
    }
  }

  @Override
  public void room() {
    pace.room();
  }

  @Override
  public void stalled() {
    pace.stalled();
  }

  @Override
  public void cancelled() {
    if (finish(null)) {
      pace.cancel();
    }
    // A signal may still write: what the compressor has outside the heap goes with its object.
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
    writer.begin(out);
    pace.next(to);
  }

  @Override
  public void onNext(T element) {
    BodySink to = sink;
    if (done.get() || to == null) {
      return;
    }
    figures.entry();
    try {
      if (wanted.test(element)) {
        writer.element(element, out);
        entries++;
      }
    } catch (RuntimeException e) { // whatever a format finds wrong with bytes
      unreadable(e);
      return;
    }
    if (out.size() >= PIECE_BYTES) {
      flush(to);
    }
    pace.next(to);
  }

  @Override
  public void batchReceived(String node, int batchEntries, long bytes) {
    figures.batch(node, bytes);
  }

  @Override
  public void credited(int ofEntries, long ofBytes) {
    figures.credited(ofEntries, ofBytes);
  }

  @Override
  public int requestBytes() {
    return REQUEST_BYTES;
  }

  @Override
  public void segmentCompleted(int segment) {
    figures.completed(segment);
  }

  @Override
  public void batchConsumed(Supplier<String> token) {
    BodySink to = sink;
    if (done.get() || to == null) {
      return;
    }
    if (entries >= limit) {
      pace.cancel();
      endPage(to, token.get());
      return;
    }
    if (tokens && System.nanoTime() - tokenNanos >= TOKEN_NANOS) {
      tokenNanos = System.nanoTime();
      writer.token(token.get(), out);
    }
    flushSoon(to); // nobody knows when the next batch comes
  }

  private void endPage(BodySink to, String token) {
    if (tokens && !done.get()) {
      writer.token(token, out); // browsers show their pages no trailers
    }
    end(to, Map.of("headrace-resume", token));
  }

  /** Flushes when what has arrived is written: another batch may be there already. */
  private void flushSoon(BodySink to) {
    if (aside) {
      flush(to);
    } else if (out.size() > 0 && !flushing) {
      flushing = true;
      to.executor()
          .execute(
              () -> {
                flushing = false;
                if (!done.get()) {
                  flush(to);
                }
              });
    }
  }

  @Override
  public void onComplete() {
    BodySink to = sink;
    if (to != null) {
      end(to, Map.of("headrace-complete", "true"));
    }
  }

  @Override
  public void onError(Throwable failure) {
    BodySink to = sink;
    String rest = failure instanceof StreamDeadlineException over ? over.resumeToken() : null;
    if (to != null && rest != null) {
      endPage(to, rest);
      return;
    }
    int status = failure instanceof HeadraceException fault ? Problems.status(fault) : 500;
    if (!(failure instanceof HeadraceException)) {
      LOG.error("A stream over HTTP failed", failure);
    }
    String token =
        failure instanceof StreamInterruptedException interrupted ? interrupted.resumeToken() : "";
    breakOff(failure, Problems.json(status, String.valueOf(failure.getMessage())), token);
  }

  private void unreadable(RuntimeException failure) {
    pace.cancel();
    breakOff(
        failure,
        Problems.json(
            409,
            "An entry has bytes that are none of the cache's formats: "
                + failure.getMessage()
                + "; ask for the binary form"),
        "");
  }

  private void breakOff(Throwable failure, String problem, String token) {
    BodySink to = sink;
    if (to == null || !finish(failure)) {
      return;
    }
    writer.failure(problem, token, out);
    flush(to);
    if (compression != null) {
      compression.close();
    }
    to.abort();
  }

  private void end(BodySink to, Map<String, String> trailers) {
    if (!finish(null)) {
      return;
    }
    writer.end(out);
    flush(to);
    if (compression != null) {
      send(to, compression.end());
    }
    to.end(trailers);
  }

  private void flush(BodySink to) {
    if (out.size() == 0) {
      return;
    }
    if (compression == null) {
      figures.sent(out.size());
      to.writeCopy(out.array(), out.size());
    } else {
      send(to, compression.piece(out.array(), out.size()));
    }
    out.reset();
  }

  private void send(BodySink to, byte[] piece) {
    if (piece.length > 0) {
      figures.sent(piece.length);
      to.write(piece);
    }
  }

  private boolean finish(@Nullable Throwable failure) {
    boolean first = done.compareAndSet(false, true);
    if (first) {
      ended.accept(failure);
    }
    return first;
  }
}
