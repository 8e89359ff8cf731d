package dev.headrace.cluster.process.work;

import dev.headrace.api.Cache;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.ingest.FailedRecord;
import dev.headrace.api.ingest.IngestReport;
import io.reactivex.rxjava3.core.Flowable;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Loads a cache of its own by a sink, entry after entry, until it is to finish. Then each entry
 * must be there, but one of which the sink tells that its outcome is unknown may be missing; they
 * must be few. Used by one thread; the source has another one.
 */
final class SinkLoad {
  private static final long PERIOD_MILLIS = 10;
  private static final long LIMIT_SECONDS = 60;

  /** One of so many entries at most may be of unknown outcome. */
  private static final int FEW = 10;

  private final Cache<Integer, String> cache;
  private final Consumer<String> violations;
  private final CompletableFuture<IngestReport> report;
  private volatile boolean finishing;
  private volatile int sent; // written by the source's thread

  /** Begins to load. */
  SinkLoad(Cache<Integer, String> cache, Consumer<String> violations) {
    this.cache = cache;
    this.violations = violations;
    this.report =
        cache
            .sink()
            .load(
                Flowable.interval(PERIOD_MILLIS, TimeUnit.MILLISECONDS)
                    .onBackpressureDrop()
                    .takeWhile(tick -> !finishing)
                    .map(tick -> next()));
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes it
  private Map.Entry<Integer, String> next() {
    int number = sent++;
    return Map.entry(number, value(number));
  }

  private static String value(int number) {
    return "loaded " + number;
  }

  /** Ends the load, and checks what it has loaded. */
  long finish() throws InterruptedException {
    finishing = true;
    try {
      check(report.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException | TimeoutException e) {
      violations.accept("A sink has failed: " + e);
    }
    return sent;
  }

  private void check(IngestReport done) {
    List<FailedRecord> failed = done.failedRecords();
    boolean allUnknown =
        failed.stream().allMatch(each -> each.cause() instanceof OutcomeUnknownException);
    if (!done.complete()
        || done.written() + done.failed() != sent
        || done.failed() != failed.size()
        || done.failed() > sent / FEW
        || !allUnknown) {
      violations.accept("Of " + sent + " entries that were sent, a sink tells " + done);
    }
    BitSet found = new BitSet(sent);
    cache.stream().entries().toFlowable().blockingForEach(entry -> check(entry, found));
    failed.forEach(each -> found.set((Integer) each.key()));
    if (found.cardinality() != sent) {
      violations.accept(
          "Of "
              + sent
              + " entries that were loaded, "
              + found.cardinality()
              + " are accounted for");
    }
  }

  private void check(Map.Entry<Integer, String> entry, BitSet found) {
    int number = entry.getKey();
    if (number < 0 || number >= sent || !entry.getValue().equals(value(number))) {
      violations.accept("Among what was loaded is " + entry);
      return;
    }
    found.set(number);
  }
}
