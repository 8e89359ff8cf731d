package dev.headrace.api.ingest;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Subscriber;

/**
 * Writes what a publisher sends. For one subscription: a second one is cancelled. Follows the
 * Reactive Streams 1.0.4 specification; {@code onNext} encodes, and does not wait for the cluster.
 *
 * @param <T> entries, or values without keys
 */
public interface SinkSubscriber<T> extends Subscriber<T> {

  /**
   * The report of everything that was received, when all of it was written or has failed.
   *
   * @return the same future always. It is completed with a report if the source has completed, also
   *     if records have failed, or if {@link #cancel} was called. It fails with an {@link
   *     dev.headrace.api.error.IngestException} that has the report if the source has failed, or if
   *     the load was to stop at a failure. To cancel the future cancels the source; what was
   *     received is still written
   */
  CompletableFuture<IngestReport> report();

  /** How far it is; exact when the report is there, and up to 100 ms old before. Any thread. */
  IngestProgress progress();

  /** Cancels the source. What was received is written, and reported. Idempotent; any thread. */
  void cancel();

  /** As a {@link Flow.Subscriber}. */
  default Flow.Subscriber<T> toFlow() {
    return FlowAdapters.toFlowSubscriber(this);
  }
}
