package dev.headrace.cluster.ingest;

import dev.headrace.api.ingest.FailedRecord;
import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.Partitioner;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Settings of a sink that are being changed. Used by one thread. */
final class SinkDraft {
  private int batchBytes;
  private Duration linger;
  private long memoryBytes;
  private boolean ifAbsent;
  private boolean conflates;
  private boolean stopsAtFirstFailure;
  private int failedRecords;
  private Duration retryFor;
  private @Nullable Consumer<IngestProgress> listener;
  private Duration progressEvery;
  private @Nullable LongConsumer recordEnded;
  private @Nullable Consumer<? super FailedRecord> recordFailed;
  private @Nullable Executor executor;
  private Supplier<? extends Partitioner> partitioner;

  SinkDraft(SinkSettings from) {
    batchBytes = from.batchBytes();
    linger = from.linger();
    memoryBytes = from.memoryBytes();
    ifAbsent = from.ifAbsent();
    conflates = from.conflates();
    stopsAtFirstFailure = from.stopsAtFirstFailure();
    failedRecords = from.failedRecords();
    retryFor = from.retryFor();
    listener = from.listener();
    progressEvery = from.progressEvery();
    recordEnded = from.recordEnded();
    recordFailed = from.recordFailed();
    executor = from.executor();
    partitioner = from.partitioner();
  }

  SinkSettings settings() {
    return new SinkSettings(
        batchBytes,
        linger,
        memoryBytes,
        ifAbsent,
        conflates,
        stopsAtFirstFailure,
        failedRecords,
        retryFor,
        listener,
        progressEvery,
        recordEnded,
        recordFailed,
        executor,
        partitioner);
  }

  SinkDraft batchBytes(int bytes) {
    batchBytes = bytes;
    return this;
  }

  SinkDraft linger(Duration longest) {
    linger = longest;
    return this;
  }

  SinkDraft memoryBytes(long bytes) {
    memoryBytes = bytes;
    return this;
  }

  SinkDraft ifAbsent() {
    ifAbsent = true;
    return this;
  }

  SinkDraft conflates() {
    conflates = true;
    return this;
  }

  SinkDraft stopsAtFirstFailure() {
    stopsAtFirstFailure = true;
    return this;
  }

  SinkDraft failedRecords(int most) {
    failedRecords = most;
    return this;
  }

  SinkDraft retryFor(Duration longest) {
    retryFor = longest;
    return this;
  }

  SinkDraft progress(Duration every, Consumer<IngestProgress> told) {
    progressEvery = every;
    listener = told;
    return this;
  }

  SinkDraft recordEnded(LongConsumer told) {
    recordEnded = told;
    return this;
  }

  SinkDraft recordFailed(Consumer<? super FailedRecord> told) {
    recordFailed = told;
    return this;
  }

  SinkDraft executor(Executor other) {
    executor = other;
    return this;
  }

  SinkDraft partitioner(Supplier<? extends Partitioner> other) {
    partitioner = other;
    return this;
  }
}
