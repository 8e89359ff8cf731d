package dev.headrace.benchmarks.ingest;

import dev.headrace.api.Cache;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.SinkSubscriber;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Loads from a source that is always ready, and so faster than the cluster, and looks at the memory
 * meanwhile. The keys repeat, so that what the cluster holds does not grow.
 *
 * @param memoryBytes the setting of the sink
 * @param seconds how long
 */
record BoundedTrial(long memoryBytes, int seconds) {
  private static final int KEYS = 200_000;
  private static final int VALUE_BYTES = 100;

  /**
   * What the trial has shown.
   *
   * @param records records that were written
   * @param mostHeldBytes the most that the sink ever held, by its own account
   * @param earlyHeapBytes heap in use after a collection when a quarter of the time has passed
   * @param lateHeapBytes the same at the end, while the load still runs
   */
  record Outcome(long records, long mostHeldBytes, long earlyHeapBytes, long lateHeapBytes) {}

  Outcome run(Cache<String, byte[]> cache) {
    byte[] value = new byte[VALUE_BYTES];
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong mostHeld = new AtomicLong();
    Flowable<Map.Entry<String, byte[]>> source =
        Flowable.<Map.Entry<String, byte[]>, Integer>generate(
                () -> 0,
                (number, emitter) -> {
                  if (over.get()) {
                    emitter.onComplete();
                  } else {
                    emitter.onNext(Map.entry("key-" + number, value));
                  }
                  return (number + 1) % KEYS;
                })
            .subscribeOn(Schedulers.io());
    SinkSubscriber<Map.Entry<String, byte[]>> sink =
        cache
            .sink()
            .memoryBytes(memoryBytes)
            .progress(
                Duration.ofMillis(1),
                progress -> mostHeld.accumulateAndGet(progress.heldBytes(), Math::max))
            .subscriber();
    long begin = System.nanoTime();
    source.subscribe(sink);
    await(begin + seconds * 250_000_000L);
    long early = heapBytes();
    await(begin + seconds * 1_000_000_000L);
    long late = heapBytes();
    over.set(true);
    IngestReport report = sink.report().join();
    if (report.failed() > 0) {
      throw new IllegalStateException(report.failed() + " records could not be written");
    }
    return new Outcome(report.written(), mostHeld.get(), early, late);
  }

  private static void await(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static long heapBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
