package dev.headrace.cluster.ingest;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.IngestException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.ingest.FailedRecord;
import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.cluster.cache.CallPort;
import dev.headrace.cluster.ingest.batch.DemandWindow;
import dev.headrace.cluster.ingest.batch.EndedWrites;
import dev.headrace.cluster.ingest.batch.IngestMachine;
import dev.headrace.cluster.ingest.batch.NodeTotals;
import dev.headrace.cluster.ingest.batch.PendingWrite;
import dev.headrace.cluster.ingest.batch.WriteBatch;
import dev.headrace.replication.client.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;

/**
 * One load: encodes what the source sends, and runs the loop that drives the {@link IngestMachine}.
 *
 * <pre>
 * state      event                                     next       effects
 * ---------  ----------------------------------------  ---------  -----------------------------
 * NEW        onSubscribe                               RUNNING    the source is asked
 * NEW        cancel, or the node's life ends           ENDING
 * any other  onSubscribe                               same       that subscription is cancelled
 * RUNNING    onNext                                    RUNNING    encoded, then the loop
 * RUNNING    onComplete                                ENDING     nothing lingers any more
 * RUNNING    onError, a failure that stops, cancel,    ENDING     the same; the source is
 *            or the node's life ends                              cancelled unless it has ended
 * ENDING     onNext                                    ENDING     dropped
 * ENDING     the node's life ends                      ENDING     nothing is tried again any more
 * ENDING     the last write has ended                  ENDED      the report
 * </pre>
 *
 * @param <T> entries or values
 */
final class SinkRun<T> implements SinkSubscriber<T> {
  /** How old the progress that is told may be. */
  private static final long PROGRESS_NANOS = 100_000_000L;

  private final SinkEnvironment environment;
  private final SinkSettings settings;
  private final Intake<T> intake;
  private final DrainLoop loop;
  private final CompletableFuture<IngestReport> report = new CompletableFuture<>();
  private final Consumer<PendingWrite> ended = this::ended;

  /** What has arrived and has not been seen by the loop. */
  private final Queue<Arrival> arrived = new ConcurrentLinkedQueue<>();

  private final EndedWrites endedWrites = new EndedWrites();

  private final AtomicReference<@Nullable Subscription> subscription = new AtomicReference<>();

  /** Why it ends; the first counts. */
  private final AtomicReference<@Nullable Ending> ending = new AtomicReference<>();

  // Used by the loop.
  private final IngestMachine machine;
  private final DemandWindow demand;
  private final SinkStats stats;
  private final LoadView view;
  private boolean finished;
  private boolean sourceCancelled;
  private boolean givenUp;

  /** The first thing that went wrong when the end had begun: only the report tells of it. */
  private @Nullable Ending late;

  private boolean counted;

  /** What was done, and how much of that the progress shows. */
  private long steps;

  private long shownSteps;
  private long progressNanos;
  private long toldNanos;
  private final long begunNanos;

  private final Supplier<List<NodeTotals>> sent = this::sent;
  private volatile IngestProgress progress = IngestProgress.NONE;
  private volatile List<NodeTotals> totals = List.of();

  /** A record: a write, or why there is none. */
  private record Arrival(
      @Nullable PendingWrite write, @Nullable Object key, @Nullable Throwable failure) {}

  /**
   * How it ends.
   *
   * @param complete whether the source has completed
   * @param sourceEnded whether it has ended, so that it need not be cancelled
   * @param lifeEnded whether the node's life has ended, so that nothing is tried again
   * @param failure why the report fails; null if it does not
   * @param text what has happened then
   */
  private record Ending(
      boolean complete,
      boolean sourceEnded,
      boolean lifeEnded,
      @Nullable Throwable failure,
      String text) {

    Ending(boolean complete, boolean sourceEnded, @Nullable Throwable failure, String text) {
      this(complete, sourceEnded, false, failure, text);
    }

    /** The same, but nothing is tried again. */
    Ending ofEndedLife() {
      return new Ending(complete, sourceEnded, true, failure, text);
    }
  }

  private SinkRun(SinkEnvironment environment, SinkSettings settings, Intake<T> intake) {
    this.environment = environment;
    this.settings = settings;
    this.intake = intake;
    this.machine = new IngestMachine(settings.limits(), intake.keyed(), environment.primaries());
    this.demand = new DemandWindow(settings.memoryBytes());
    this.stats = new SinkStats(settings.failedRecords(), settings.memoryBytes());
    int segments = environment.space().get().segments();
    this.view = new LoadView(machine, environment.primaries(), segments, settings.batchBytes());
    this.loop =
        new DrainLoop(environment.timer(), environment.executor(), settings.executor(), this::pass);
    this.begunNanos = environment.timer().nanoTime();
    this.progressNanos = begunNanos;
    this.toldNanos = begunNanos;
  }

  static <T> SinkSubscriber<T> of(
      SinkEnvironment environment, SinkSettings settings, Intake<T> intake) {
    SinkRun<T> run = new SinkRun<>(environment, settings, intake);
    run.watch();
    return run;
  }

  private void watch() {
    Runnable forget = environment.whenEnded().apply(this::lifeEnded);
    var unused =
        report.whenComplete(
            (done, failure) -> {
              forget.run();
              if (report.isCancelled()) {
                cancel();
              }
            });
  }

  /** Nothing of this life may be waited for. A load that ends already does so without retries. */
  private void lifeEnded(HeadraceException reason) {
    if (report.isDone()) {
      return;
    }
    String text =
        reason instanceof NodeClosedException
            ? "The node was closed during a load"
            : "The node has left its cluster during a load";
    Ending how = new Ending(false, false, true, reason, text);
    Ending before = ending.getAndUpdate(first -> first == null ? how : first.ofEndedLife());
    if (before == null || !before.lifeEnded()) {
      loop.takeOver();
    }
  }

  // ---- The source

  @Override
  public void onSubscribe(Subscription offered) {
    requireNonNull(offered, "subscription");
    if (!subscription.compareAndSet(null, offered)) {
      offered.cancel();
      return;
    }
    loop.runHere();
  }

  @Override
  public void onNext(T record) {
    requireNonNull(record, "record");
    if (ending.get() != null) {
      return;
    }
    Arrival arrival;
    try {
      arrival = new Arrival(intake.take(record, ended), null, null);
    } catch (RuntimeException
        | Error e) { // of a codec or function, or because it is null or too large
      arrival = new Arrival(null, key(record), e);
    }
    arrived.add(arrival);
    loop.runHere();
  }

  private @Nullable Object key(T record) {
    try {
      return intake.keyOf(record);
    } catch (RuntimeException | Error unknown) {
      return null; // the failure that is reported is another one
    }
  }

  @Override
  public void onError(Throwable cause) {
    requireNonNull(cause, "cause");
    end(new Ending(false, true, cause, "The source has failed"));
  }

  @Override
  public void onComplete() {
    end(new Ending(true, true, null, ""));
  }

  @Override
  public void cancel() {
    end(new Ending(false, false, null, ""));
  }

  /** Returns whether it is the first end. */
  private boolean end(Ending how) {
    boolean first = ending.compareAndSet(null, how);
    if (first) {
      loop.schedule();
    }
    return first;
  }

  // ---- The loop

  /** A write has ended, on any thread. */
  private void ended(PendingWrite write) {
    endedWrites.add(write);
    loop.schedule();
  }

  private void pass() {
    if (finished) {
      cancelLate();
      return;
    }
    try {
      run();
    } catch (RuntimeException | Error e) { // whatever it is: somebody waits for the report
      stop("A load has failed", e);
      cancelSource(requireNonNull(ending.get()));
      finish(requireNonNull(ending.get()), environment.timer().nanoTime());
    }
  }

  /** A source that comes when all is over is cancelled. */
  private void cancelLate() {
    cancelSource(requireNonNull(ending.get()));
  }

  /** Does all that there is to do. */
  private void run() {
    long nowNanos = environment.timer().nanoTime();
    endedWrites.takeAll(write -> settle(write, nowNanos));
    Ending how = ending.get(); // before looking at what has arrived: nothing comes later
    for (Arrival arrival = arrived.poll(); arrival != null; arrival = arrived.poll()) {
      receive(arrival, nowNanos);
    }
    if (how != null) {
      finishMachine(how, nowNanos);
      cancelSource(how);
    }
    send(machine.take(nowNanos));
    if (how == null) {
      request();
    }
    tell(nowNanos);
    if (how != null && demand.isEmpty() && arrived.isEmpty()) {
      finish(how, nowNanos);
    } else {
      loop.wakeIn(Math.min(machine.nextNanos(nowNanos), untilShown(nowNanos)), nowNanos);
    }
  }

  /** When what was done must be shown, if nothing happens before: the progress stays young. */
  private long untilShown(long nowNanos) {
    return steps == shownSteps
        ? Long.MAX_VALUE
        : Math.max(0, progressNanos + PROGRESS_NANOS - nowNanos);
  }

  private void finishMachine(Ending how, long nowNanos) {
    machine.finish();
    if (how.lifeEnded() && !givenUp) {
      givenUp = true;
      machine.giveUp().forEach(write -> settle(write, nowNanos));
    }
  }

  /** A source that throws, which it must not, keeps nothing from being written and reported. */
  private void cancelSource(Ending how) {
    Subscription source = subscription.get();
    if (source != null && !sourceCancelled && !how.sourceEnded()) {
      sourceCancelled = true;
      try {
        source.cancel();
      } catch (RuntimeException | Error e) { // of user code
        stop("The source has thrown when it was cancelled", e);
      }
    }
  }

  private void receive(Arrival arrival, long nowNanos) {
    long number = stats.received();
    steps++;
    PendingWrite write = arrival.write();
    if (write == null) {
      demand.received();
      failed(new FailedRecord(number, arrival.key(), requireNonNull(arrival.failure())));
      recordEnded(number);
      return;
    }
    write.number(number);
    demand.received(write.heldBytes());
    try {
      intake.place(write, machine, view.at(nowNanos), nowNanos);
    } catch (RuntimeException | Error e) { // of a partitioner, or a function or codec for keys
      demand.ended(write.heldBytes());
      failed(new FailedRecord(number, null, e));
      recordEnded(number);
      return;
    }
    PendingWrite dropped = machine.add(write, nowNanos);
    if (dropped != null) {
      stats.conflated();
      demand.ended(dropped.heldBytes());
      recordEnded(dropped.number());
    } else {
      intake.placed(write, view);
    }
  }

  private void settle(PendingWrite write, long nowNanos) {
    steps++;
    Failure failure = write.failure();
    IngestMachine.Fate fate = machine.ended(write, nowNanos);
    if (fate == IngestMachine.Fate.RETRIED) {
      return;
    }
    demand.ended(write.heldBytes());
    if (fate == IngestMachine.Fate.FAILED) {
      failed(new FailedRecord(write.number(), intake.keyOf(write), write.cause()));
      if (failsAll(failure)) {
        stop("Nothing can be written any more", write.cause());
      }
    } else if (write.applied()) {
      stats.written(write.bytes());
    } else {
      stats.present();
    }
    recordEnded(write.number());
  }

  private void recordEnded(long number) {
    LongConsumer listener = settings.recordEnded();
    if (listener == null) {
      return;
    }
    try {
      listener.accept(number);
    } catch (RuntimeException | Error e) { // of user code
      stop("The listener for ended records has failed", e);
    }
  }

  /** Whether everything else will fail, too. */
  private static boolean failsAll(@Nullable Failure failure) {
    return failure == Failure.CLOSED
        || failure == Failure.WRONG_FORMAT
        || failure == Failure.TOO_MANY_CACHES;
  }

  private void failed(FailedRecord record) {
    stats.failed(record);
    if (settings.stopsAtFirstFailure()) {
      stop("A record could not be written, and the load was to stop at the first", record.cause());
    }
    Consumer<? super FailedRecord> listener = settings.recordFailed();
    if (listener == null) {
      return;
    }
    try {
      listener.accept(record);
    } catch (RuntimeException | Error e) { // of user code
      stop("The listener for failed records has failed", e);
    }
  }

  private void stop(String text, Throwable cause) {
    Ending how = new Ending(false, false, cause, text);
    if (!end(how) && late == null) {
      late = how;
    }
  }

  private void send(List<WriteBatch> batches) {
    if (batches.isEmpty()) {
      return;
    }
    steps++;
    CallPort.Batch port = environment.port().batch();
    for (WriteBatch batch : batches) {
      GroupedBatch.submit(batch.writes(), environment.port(), port);
    }
    port.send();
  }

  private void request() {
    Subscription source = subscription.get();
    if (source != null && !counted) {
      counted = true;
      environment.totals().begun(sent);
    }
    long more = source == null ? 0 : demand.take();
    if (source != null && more > 0) {
      try {
        source.request(more);
      } catch (RuntimeException | Error e) { // of user code
        stop("The source has thrown when it was asked for more", e);
      }
    }
  }

  private void tell(long nowNanos) {
    if (nowNanos - progressNanos >= PROGRESS_NANOS) {
      show(nowNanos);
    }
    Consumer<IngestProgress> listener = settings.listener();
    if (listener != null && nowNanos - toldNanos >= SinkSettings.nanos(settings.progressEvery())) {
      toldNanos = nowNanos;
      show(nowNanos);
      tell(listener);
    }
  }

  private void tell(Consumer<IngestProgress> listener) {
    try {
      listener.accept(progress);
    } catch (RuntimeException | Error e) { // of user code
      stop("The listener of a load's progress has failed", e);
    }
  }

  private void show(long nowNanos) {
    progressNanos = nowNanos;
    shownSteps = steps;
    totals = machine.totals(environment.names());
    progress = stats.progress(machine.retried(), demand.heldBytes(), totals);
  }

  private List<NodeTotals> sent() {
    return totals;
  }

  private void finish(Ending how, long nowNanos) {
    finished = true;
    loop.end();
    show(nowNanos);
    environment.totals().ended(sent);
    Consumer<IngestProgress> listener = settings.listener();
    if (listener != null) {
      tell(listener);
    }
    IngestReport all =
        new IngestReport(
            progress,
            stats.failedRecords(),
            how.complete(),
            Duration.ofNanos(nowNanos - begunNanos));
    Ending told = told(how);
    Throwable failure = told.failure();
    if (failure == null) {
      report.complete(all);
      return;
    }
    IngestException failed =
        new IngestException(
            "%s; of %d records that were received, %d were written: see the report, and load the rest again"
                .formatted(told.text(), progress.received(), progress.written()),
            FaultScope.ofCache(environment.cache()),
            all,
            failure);
    Ending later = late;
    if (later != null && how.failure() != null) {
      failed.addSuppressed(requireNonNull(later.failure()));
    }
    report.completeExceptionally(failed);
  }

  /** Why it ended, or else what went wrong then. */
  private Ending told(Ending how) {
    Ending later = late;
    return later != null && how.failure() == null ? later : how;
  }

  @Override
  public CompletableFuture<IngestReport> report() {
    return report;
  }

  @Override
  public IngestProgress progress() {
    return progress;
  }
}
