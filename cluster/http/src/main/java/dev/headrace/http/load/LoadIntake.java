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
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;

/**
 * A body on its way into a cache.
 *
 * <pre>
 * state    event            guard                          next     effects
 * --------------------------------------------------------------------------------------------
 * LOADING  a piece                                         LOADING  read its records while the
 *                                                                   sink wants some
 * LOADING  the sink wants   the piece is not used up       LOADING  the same
 * LOADING  the sink wants   it is                          LOADING  ask for the next piece
 * LOADING  a bad record     others go on                   LOADING  note it
 * LOADING  a bad record     it is the last                 DONE     end the sink
 * LOADING  end of the body  all records are read           DONE     complete the sink
 * LOADING  the sink cancels                                DONE
 * LOADING  cancelled                                       DONE     cancel the sink
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
  private final LoadTally tally = new LoadTally();
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
   * @param sink writes entries
   */
  LoadIntake(
      RecordReader reader,
      RecordSplitter splitter,
      TextForm keys,
      boolean stop,
      SinkSubscriber<Map.Entry<byte[], byte[]>> sink) {
    this.reader = reader;
    this.splitter = splitter;
    this.keys = keys;
    this.stop = stop;
    this.sink = sink;
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
      return; // never begun
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

  // ---- In between

  private void work() {
    if (work.getAndIncrement() != 0) {
      return; // whoever works looks again
    }
    int seen = 1;
    while (seen != 0) {
      while (step()) {
        // until something is missing
      }
      seen = work.addAndGet(-seen);
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
    if (wanted.get() == 0 || asked) {
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
    } catch (ProblemException e) { // nothing can be read
      stopWith(e);
      return;
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      tally.unreadable(next.line(), message);
      if (stop) {
        stopWith(
            new ProblemException(400, "Line " + next.line() + ": " + message, e)
                .member("line", next.line()));
      }
      return;
    }
    if (entry != null) {
      wanted.decrementAndGet();
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
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    ProblemException problem = stopped;
    if (problem != null) {
      var unused = reply.completeExceptionally(withReport(problem, report));
    } else if (report != null) {
      var unused =
          reply.complete(
              HttpReply.text(200, "application/json", tally.json(report, keys))
                  .with("cache-control", "no-store"));
    } else if (cause instanceof IngestException stoppedAt) {
      var unused = reply.completeExceptionally(problem(stoppedAt));
    } else {
      var unused = reply.completeExceptionally(cause == null ? new IllegalStateException() : cause);
    }
  }

  private ProblemException withReport(ProblemException problem, @Nullable IngestReport report) {
    return report == null ? problem : problem.memberJson("report", tally.json(report, keys));
  }

  private ProblemException problem(IngestException stoppedAt) {
    Throwable cause = stoppedAt.getCause();
    int status = cause instanceof HeadraceException fault ? Problems.status(fault) : 503;
    return withReport(
        new ProblemException(status, String.valueOf(stoppedAt.getMessage()), stoppedAt),
        stoppedAt.report());
  }
}
