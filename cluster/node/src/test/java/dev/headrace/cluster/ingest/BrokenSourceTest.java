package dev.headrace.cluster.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.IngestException;
import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.SinkSubscriber;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;

/** Sources and listeners that throw where they must not: what was received is still reported. */
class BrokenSourceTest {
  private static final int SENT = 20;

  private final Error thrown = new AssertionError("it must not throw");
  private final SimulatedSink world = new SimulatedSink(3);

  BrokenSourceTest() {
    java.util.Arrays.fill(world.serviceNanos, 5 * SimulatedSink.MILLI);
  }

  /** Sends some records at the first request. */
  private final class Source implements Subscription {
    final SinkSubscriber<Map.Entry<String, String>> sink;
    final boolean throwsAtRequest;
    int cancels;
    private boolean asked;

    Source(SinkSubscriber<Map.Entry<String, String>> sink, boolean throwsAtRequest) {
      this.sink = sink;
      this.throwsAtRequest = throwsAtRequest;
    }

    @Override
    public void request(long n) {
      if (asked) {
        return;
      }
      asked = true;
      for (int i = 0; i < SENT; i++) {
        sink.onNext(Map.entry("key-" + i, "value"));
      }
      if (throwsAtRequest) {
        throw thrown;
      }
    }

    @Override
    public void cancel() {
      cancels++;
      throw thrown;
    }
  }

  private IngestException failure(SinkSubscriber<?> sink) {
    world.run();
    assertThat(sink.report()).isDone();
    try {
      sink.report().join();
    } catch (CompletionException e) {
      return (IngestException) e.getCause();
    }
    throw new AssertionError("the load has not failed");
  }

  private void assertAllIsReported(IngestReport report) {
    assertThat(report.total().received()).isEqualTo(SENT);
    assertThat(report.written()).isEqualTo(SENT);
    assertThat(report.total().heldBytes()).isZero();
    assertThat(world.content).hasSize(SENT);
  }

  @Test
  void aSourceThatThrowsWhenItIsCancelledLosesNothingAndFailsTheReport() {
    SinkSubscriber<Map.Entry<String, String>> sink = world.sink().subscriber();
    Source source = new Source(sink, false);
    sink.onSubscribe(source);

    sink.cancel();
    IngestException failure = failure(sink);

    assertThat(failure).hasCause(thrown);
    assertThat(failure).hasMessageContaining("The source has thrown when it was cancelled");
    assertAllIsReported(failure.report());
    assertThat(source.cancels).isEqualTo(1);
  }

  @Test
  void aSourceThatThrowsWhenItIsAskedEndsTheLoadAndIsCancelled() {
    SinkSubscriber<Map.Entry<String, String>> sink = world.sink().subscriber();
    Source source = new Source(sink, true);
    sink.onSubscribe(source);

    IngestException failure = failure(sink);

    assertThat(failure).hasCause(thrown);
    assertThat(failure).hasMessageContaining("The source has thrown when it was asked for more");
    assertThat(failure.getSuppressed()).containsExactly(thrown);
    assertAllIsReported(failure.report());
    assertThat(source.cancels).isEqualTo(1);
  }

  @Test
  void aSourceThatComesWhenAllIsOverAndThrowsHarmsNobody() {
    SinkSubscriber<Map.Entry<String, String>> sink = world.sink().subscriber();
    sink.cancel();
    world.run();
    Source source = new Source(sink, false);

    sink.onSubscribe(source);
    world.run();

    assertThat(source.cancels).isEqualTo(1);
    assertThat(sink.report().join().total()).isEqualTo(IngestProgress.NONE);
  }

  @Test
  void aListenerThatThrowsAtTheVeryEndFailsTheReport() {
    Consumer<IngestProgress> listener =
        progress -> {
          throw thrown;
        };
    CacheSink<String, String> plan = world.sink().progress(Duration.ofDays(1), listener);
    SinkSubscriber<Map.Entry<String, String>> sink = plan.subscriber();
    sink.onSubscribe(new Source(sink, false));
    sink.onComplete();

    IngestException failure = failure(sink);

    assertThat(failure).hasCause(thrown);
    assertThat(failure.report().complete()).isTrue();
    assertAllIsReported(failure.report());
  }

  @Test
  void theFirstFailureFailsTheReportAlsoIfTheSourceHasCompletedBefore() {
    world.refusedOnceIn = 1;
    SinkSubscriber<Map.Entry<String, String>> sink =
        world.sink().retryFor(Duration.ZERO).stopAtFirstFailure().subscriber();
    sink.onSubscribe(new Source(sink, false));
    sink.onComplete();

    IngestException failure = failure(sink);

    assertThat(failure).hasMessageContaining("the load was to stop at the first");
    assertThat(failure.report().failed()).isEqualTo(SENT);
  }
}
