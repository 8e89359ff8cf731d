package dev.headrace.micrometer;

import dev.headrace.api.Headrace;
import dev.headrace.api.Registration;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.stream.pull.StreamObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The streams of a node as observations, which a bridge of Micrometer Tracing makes spans of:
 *
 * <pre>{@code
 * new HeadraceObservations(node, registry);
 * }</pre>
 *
 * <p>A stream is an observation {@code headrace.stream}, from the subscription to its end. Its
 * parent is the observation that is current on the thread that subscribes. Each batch that it asks
 * for is a child {@code headrace.stream.batch}, from the request to the answer. No scope is opened:
 * the subscriber's calls do not become children.
 *
 * <p>Handlers of the registry are called on the subscriber's threads and on the node's own, so they
 * must not block. A stream that began before this was made is not observed; one that has not ended
 * when this is closed is observed to its end. Nothing is spent on streams where this is not used.
 * Thread-safe.
 */
public final class HeadraceObservations implements AutoCloseable {
  private final Registration streams;

  /**
   * Observes the streams of a node from now on.
   *
   * @param node may be closed before this
   * @param registry gets the observations
   * @throws IllegalArgumentException if the node is none that {@link Headrace#start} has made
   */
  public HeadraceObservations(Headrace node, ObservationRegistry registry) {
    this.streams = HeadraceNode.of(node).observe(cache -> ObservedStream.begin(cache, registry));
  }

  /** Observes no further stream. Idempotent. */
  @Override
  public void close() {
    streams.close();
  }

  private record ObservedStream(String cache, Observation observation, ObservationRegistry registry)
      implements StreamObserver.Stream {

    static ObservedStream begin(String cache, ObservationRegistry registry) {
      Observation begun =
          Observation.createNotStarted("headrace.stream", registry)
              .contextualName("stream " + cache)
              .lowCardinalityKeyValue("cache", cache)
              .start();
      return new ObservedStream(cache, begun, registry);
    }

    @Override
    public StreamObserver.Batch asked(String node) {
      return new ObservedBatch(
          Observation.createNotStarted("headrace.stream.batch", registry)
              .parentObservation(observation)
              .contextualName("batch of " + cache)
              .lowCardinalityKeyValue("cache", cache)
              .lowCardinalityKeyValue("node", node)
              .start());
    }

    @Override
    public void ended(long elements, boolean complete, @Nullable Throwable failure) {
      if (failure != null) {
        observation.error(failure);
      }
      observation
          .lowCardinalityKeyValue(
              "outcome", failure != null ? "failed" : complete ? "complete" : "cancelled")
          .highCardinalityKeyValue("elements", Long.toString(elements))
          .stop();
    }
  }

  private record ObservedBatch(Observation observation) implements StreamObserver.Batch {
    @Override
    public void received(int entries, long bytes) {
      observation
          .lowCardinalityKeyValue("outcome", "received")
          .highCardinalityKeyValue("entries", Integer.toString(entries))
          .highCardinalityKeyValue("bytes", Long.toString(bytes))
          .stop();
    }

    @Override
    public void failed(Throwable cause) {
      observation.lowCardinalityKeyValue("outcome", "failed").error(cause).stop();
    }
  }
}
