package dev.headrace.cluster.ingest;

import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.FailedRecord;
import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.Partitioner;
import dev.headrace.cluster.ingest.batch.IngestLimits;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a user has set of a sink, but for what depends on the types of keys and values. */
record SinkSettings(
    int batchBytes,
    Duration linger,
    long memoryBytes,
    boolean ifAbsent,
    boolean conflates,
    boolean stopsAtFirstFailure,
    int failedRecords,
    Duration retryFor,
    @Nullable Consumer<IngestProgress> listener,
    Duration progressEvery,
    @Nullable LongConsumer recordEnded,
    @Nullable Consumer<? super FailedRecord> recordFailed,
    @Nullable Executor executor,
    Supplier<? extends Partitioner> partitioner) {
  private static final Duration USUAL_RETRY = Duration.ofSeconds(30);

  static final SinkSettings DEFAULTS =
      new SinkSettings(
          CacheSink.DEFAULT_BATCH_BYTES,
          Duration.ZERO,
          CacheSink.DEFAULT_MEMORY_BYTES,
          false,
          false,
          false,
          CacheSink.DEFAULT_FAILED_RECORDS,
          USUAL_RETRY,
          null,
          Duration.ofSeconds(1),
          null,
          null,
          null,
          Partitioner::adaptiveSticky);

  IngestLimits limits() {
    return new IngestLimits(
        batchBytes, nanos(linger), nanos(retryFor), conflates, /* keepsFirst= */ ifAbsent);
  }

  /** About 146 years at most, so that a sum of two does not overflow. */
  static long nanos(Duration duration) {
    long most = Long.MAX_VALUE / 2;
    return duration.compareTo(Duration.ofNanos(most)) >= 0 ? most : duration.toNanos();
  }
}
