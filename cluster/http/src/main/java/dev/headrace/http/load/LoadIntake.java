package dev.headrace.http.load;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.IngestException;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.http.exchange.BodyIntake;
import dev.headrace.http.exchange.BodySource;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Problems;
import dev.headrace.http.load.RecordSplitter.RawRecord;
import dev.headrace.http.text.TextForm;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;

/**
 * A body on its way into a cache.
 *
 * <pre>
 * state    event            guard                          next     effects
 * --------------------------------------------------------------------------------------------
 * LOADING  a piece                                         LOADING  read its records while the
 *                                                                   sink wants some and does not
 *                                                                   hold too many bytes
 * LOADING  a record ends    the sink held too many         LOADING  the same
 * LOADING  the sink wants   the piece is not used up       LOADING  the same
 * LOADING  the sink wants   it is                          LOADING  ask for the next piece
 * LOADING  a bad record     others go on                   LOADING  note it
 * LOADING  a bad record     it is the last                 DONE     end the sink
 * LOADING  end of the body  all records are read           DONE     complete the sink
 * LOADING  the sink cancels                                DONE
 * LOADING  cancelled        before it began, too           DONE     cancel the sink
 * LOADING  anything fails                                  DONE     reply, cancel the sink
 * DONE     the report                                               reply
 * </pre>
 *
 * <p>Whoever brings an event works on all that there are, one at a time ({@link #work}).
 */
final class LoadIntake implements BodyIntake, Subscription {
  private static final byte[] END = {};

  private final RecordReader reader;
  private final RecordSplitter splitter;
  private final TextForm keys;
  private final boolean stop;
  private final SinkSubscriber<Map.Entry<byte[], byte[]>> sink;
  private final HeldBytes held = new HeldBytes(LoadRequest.SINK_BYTES);
  private final LoadReport loadReport = new LoadReport();
  private final CompletableFuture<HttpReply> reply = new CompletableFuture<>();
  private final AtomicInteger work = new AtomicInteger();
  private final AtomicLong wanted = new AtomicLong();
  private final AtomicReference<byte @Nullable []> arrived = new AtomicReference<>();
  private volatile @Nullable BodySource source;
  private volatile boolean cancelled;

  // Used by whoever works.
  private boolean asked;
  private boolean ended;
  private boolean done;
  private volatile @Nullable ProblemException stopped;

  /**
   * An intake.
   *
   * @param keys the format of the cache's keys
   * @param stop whether the load ends with the first record that cannot be read
   * @param sinks makes the sink that writes entries, of whom it tells the numbers of records that
   *     have ended
   */
  LoadIntake(
      RecordReader reader,
      RecordSplitter splitter,
      TextForm keys,
      boolean stop,
      Function<LongConsumer, SinkSubscriber<Map.Entry<byte[], byte[]>>> sinks) {
    this.reader = reader;
    this.splitter = splitter;
    this.keys = keys;
    this.stop = stop;
    this.sink = sinks.apply(this::recordEnded);
  }

  // ---- The connection

  @Override
  public void begin(BodySource begun) {
    source = begun;
    var unused = sink.report().whenComplete(this::answer);
    sink.onSubscribe(this);
  }

  @Override
  public void piece(byte[] piece) {
    arrived.set(piece);
    work();
  }

  @Override
  public void end() {
    arrived.set(END);
    work();
  }

  @Override
  public void cancelled() {
    if (source == null) {
      var unused = reply.completeExceptionally(new ProblemException(400, "The client has gone"));
    }
    cancelled = true;
    sink.cancel();
    work();
  }

  @Override
  public CompletionStage<HttpReply> reply() {
    return reply;
  }

  // ---- The sink

  @Override
  public void request(long more) {
    wanted.accumulateAndGet(
        more, (before, add) -> before + add < 0 ? Long.MAX_VALUE : before + add);
    work();
  }

  @Override
  public void cancel() {
    cancelled = true;
    work();
  }

  private void recordEnded(long number) {
    if (held.ended(number)) {
      work();
    }
  }

  // ---- In between

  private void work() {
    if (work.getAndIncrement() != 0) {
      return; // whoever works looks again
    }
    int seen = 1;
    while (seen != 0) {
      stepOn();
      seen = work.addAndGet(-seen);
    }
  }

  private void stepOn() {
    try {
      while (step()) {
        // until something is missing
      }
    } catch (ProblemException e) { // nothing can be read
      stopWith(e);
    } catch (RuntimeException | Error e) { // a sink that has thrown may never report
      done = true;
      var unused = reply.completeExceptionally(e);
      sink.cancel();
    } finally {
      if (done) {
        splitter.close();
      }
    }
  }

  /** Handles one record. Returns whether there may be another one. */
  private boolean step() {
    BodySource from = source;
    if (done || cancelled || from == null) {
      done = true;
      return false;
    }
    byte @Nullable [] piece = arrived.getAndSet(null);
    if (piece != null) {
      asked = false;
      if (piece == END) {
        ended = true;
        splitter.end();
      } else {
        splitter.add(piece);
      }
    }
    if (wanted.get() == 0 || asked || held.isFull()) {
      return false;
    }
    RawRecord next = splitter.next();
    if (next != null) {
      handle(next);
      return true;
    }
    if (ended) {
      done = true;
      sink.onComplete();
      return false;
    }
    asked = true;
    from.request();
    return arrived.get() != null;
  }

  private void handle(RawRecord next) {
    Map.Entry<byte[], byte[]> entry;
    try {
      entry = read(next);
    } catch (ProblemException e) {
      throw e;
    } catch (RuntimeException e) { // of a codec
      String message =
          e instanceof IllegalArgumentException
              ? String.valueOf(e.getMessage())
              : "The record is no entry of this cache: " + e.getMessage();
      loadReport.unreadable(next.line(), message);
      if (stop) {
        stopWith(
            new ProblemException(400, "Line " + next.line() + ": " + message, e)
                .member("line", next.line()));
      }
      return;
    }
    if (entry != null) {
      wanted.decrementAndGet();
      held.add((long) entry.getKey().length + entry.getValue().length);
      sink.onNext(entry);
    }
  }

  private Map.@Nullable Entry<byte[], byte[]> read(RawRecord next) {
    if (next.tooLong()) {
      throw new IllegalArgumentException(
          "The record has more than " + splitter.mostBytes() + " bytes");
    }
    if (next.unclosed()) {
      throw new IllegalArgumentException("A quoted column that begins here is never closed");
    }
    return reader.read(next.bytes());
  }

  /** Nothing more is loaded; what the sink has is written. */
  private void stopWith(ProblemException problem) {
    stopped = problem;
    done = true;
    sink.cancel();
  }

  // ---- The reply

  private void answer(@Nullable IngestReport report, @Nullable Throwable failure) {
    try {
      reply(report, failure);
    } catch (RuntimeException | Error e) { // a report that is too large, for example
      var unused = reply.completeExceptionally(e);
    }
  }

  private void reply(@Nullable IngestReport report, @Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    ProblemException problem = stopped;
    if (problem != null) {
      var unused = reply.completeExceptionally(withReport(problem, report));
    } else if (report != null) {
      var unused =
          reply.complete(
              HttpReply.text(200, "application/json", loadReport.json(report, keys))
                  .with("cache-control", "no-store"));
    } else if (cause instanceof IngestException stoppedAt) {
      var unused = reply.completeExceptionally(problem(stoppedAt));
    } else {
      var unused = reply.completeExceptionally(cause == null ? new IllegalStateException() : cause);
    }
  }

  private ProblemException withReport(ProblemException problem, @Nullable IngestReport report) {
    return report == null ? problem : problem.memberJson("report", loadReport.json(report, keys));
  }

  private ProblemException problem(IngestException stoppedAt) {
    Throwable cause = stoppedAt.getCause();
    int status = cause instanceof HeadraceException fault ? Problems.status(fault) : 503;
    return withReport(
        new ProblemException(status, String.valueOf(stoppedAt.getMessage()), stoppedAt),
        stoppedAt.report());
  }
}
