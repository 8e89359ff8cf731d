package dev.headrace.micrometer;

import dev.headrace.api.CacheReport;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the sizes of all caches, at most once in ten seconds. A report in which a node is
 * missing would show caches that have lost entries: it is dropped, and the next one is asked for
 * after a second. Thread-safe.
 */
final class CacheSizes {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Supplier<CompletableFuture<CacheReport>> question;
  private final Consumer<CacheReport> listener;
  private final LongSupplier nanoClock;
  private final AtomicLong dueNanos;

  /**
   * Sizes that nobody has asked for.
   *
   * @param question asks the nodes; may throw
   * @param listener is given complete reports
   * @param nanoClock the present time, in nanoseconds from any time on
   */
  CacheSizes(
      Supplier<CompletableFuture<CacheReport>> question,
      Consumer<CacheReport> listener,
      LongSupplier nanoClock) {
    this.question = question;
    this.listener = listener;
    this.nanoClock = nanoClock;
    this.dueNanos = new AtomicLong(nanoClock.getAsLong());
  }

  /**
   * Asks if it is time to.
   *
   * @return completed when the nodes have answered; completed exceptionally if they cannot be asked
   */
  CompletableFuture<?> refresh() {
    long due = dueNanos.get();
    long now = nanoClock.getAsLong();
    if (now - due < 0 || !dueNanos.compareAndSet(due, now + INTERVAL_NANOS)) {
      return CompletableFuture.completedFuture(true);
    }
    return ask().whenComplete(this::answered);
  }

  private CompletableFuture<CacheReport> ask() {
    try {
      return question.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void answered(@Nullable CacheReport report, @Nullable Throwable failure) {
    if (report != null && report.complete()) {
      listener.accept(report);
    } else {
      dueNanos.set(nanoClock.getAsLong() + RETRY_NANOS);
    }
  }
}
