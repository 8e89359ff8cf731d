package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.plan.StreamPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;

/** What a subscriber may do to a subscription, and what it gets. */
class StreamSubscriptionTest {

  private final SyntheticCluster cluster = new SyntheticCluster(1, 2, 8, 1);

  @Test
  void aDemandOfNothingIsAnError() {
    for (long n : new long[] {0, -1, Long.MIN_VALUE}) {
      Collector<Map.Entry<String, String>> collector = subscribe(0);
      collector.subscription.request(n);
      cluster.settle();
      assertThat(collector.errors).hasSize(1).allMatch(IllegalArgumentException.class::isInstance);
      assertThat(collector.errors.get(0)).hasMessageContaining("3.9");
    }
  }

  @Test
  void demandSaturates() {
    cluster.fill(100);
    Collector<Map.Entry<String, String>> collector = subscribe(Long.MAX_VALUE);
    collector.subscription.request(Long.MAX_VALUE);
    collector.subscription.request(1);
    cluster.settle();
    assertThat(collector.received).hasSize(100);
    assertThat(collector.completions).isEqualTo(1);
  }

  @Test
  void noMoreThanTheDemandIsHandedOver() {
    cluster.fill(100);
    Collector<Map.Entry<String, String>> collector = subscribe(3);
    cluster.settle();
    assertThat(collector.received).hasSize(3);
    collector.subscription.request(97);
    cluster.settle();
    assertThat(collector.received).hasSize(100);
    assertThat(collector.completions).as("completion needs no demand").isEqualTo(1);
  }

  @Test
  void nothingIsAskedForBeforeTheFirstDemand() {
    cluster.fill(100);
    subscribe(0);
    cluster.settle();
    assertThat(cluster.sent).isEmpty();
  }

  @Test
  void aNullSubscriberIsRefused() {
    assertThatThrownBy(() -> cluster.stream().entries().subscribe(null))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void aSubscriberUsedTwiceGetsTwoStreams() {
    cluster.fill(10);
    Collector<Map.Entry<String, String>> first = subscribe(Long.MAX_VALUE);
    Collector<Map.Entry<String, String>> second = subscribe(Long.MAX_VALUE);
    cluster.settle();
    assertThat(first.received).hasSize(10).containsExactlyInAnyOrderElementsOf(second.received);
  }

  @Test
  void aRequestFromWithinOnNextDoesNotRecurse() {
    cluster.fill(20_000);
    int[] depth = new int[1];
    Collector<Map.Entry<String, String>> one =
        new Collector<>(1) {
          @Override
          public void onNext(Map.Entry<String, String> next) {
            assertThat(++depth[0]).isEqualTo(1);
            super.onNext(next);
            subscription.request(1);
            depth[0]--;
          }
        };
    cluster.maxDelayNanos = 0;
    cluster.stream().executor(Runnable::run).entries().subscribe(one);
    assertThat(one.received).hasSize(20_000);
    assertThat(one.completions).isEqualTo(1);
  }

  @Test
  void aSubscriberThatThrowsIsCancelledAndItsThreadIsTold() {
    cluster.fill(100);
    List<Throwable> uncaught = new ArrayList<>();
    Thread thread =
        new Thread(
            () -> {
              cluster.stream()
                  .entries()
                  .subscribe(
                      new Collector<>(Long.MAX_VALUE) {
                        @Override
                        public void onNext(Map.Entry<String, String> next) {
                          throw new IllegalStateException("mine");
                        }

                        @Override
                        public void onError(Throwable failure) {
                          uncaught.add(new AssertionError("a signal after the end", failure));
                        }
                      });
              cluster.settle();
            });
    thread.setUncaughtExceptionHandler((where, thrown) -> uncaught.add(thrown));
    thread.start();
    join(thread);
    assertThat(uncaught).hasSize(1);
    assertThat(uncaught.get(0)).hasMessage("mine");
    assertThat(cluster.buffersOut).isZero();
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aCodecThatThrowsEndsTheStreamNamingTheSegmentWithATokenBeforeTheBatch() {
    cluster.fill(50);
    Codec<String> broken =
        new Codec<>() {
          @Override
          public String format() {
            return "broken";
          }

          @Override
          public void encode(String value, ByteOutput out) {
            throw new UnsupportedOperationException();
          }

          @Override
          public String decode(ByteInput in) {
            String value = in.readUtf8(in.remaining());
            if (value.endsWith("-33")) {
              throw new IllegalArgumentException("cannot read " + value);
            }
            return value;
          }
        };
    Collector<Map.Entry<String, String>> collector = new Collector<>(Long.MAX_VALUE);
    StreamPlan.over(
            cluster.environment(), new CacheSettings<>("quotes", Codecs.string(), broken), 0)
        .batchSize(4)
        .entries()
        .subscribe(collector);
    cluster.settle();
    assertThat(collector.errors).hasSize(1);
    CodecException failure = (CodecException) collector.errors.get(0);
    int segment = cluster.segmentOf("key-33");
    assertThat(failure).hasMessageContaining("segment " + segment);
    assertThat(failure).hasRootCauseMessage("cannot read value-33");
    StreamInterruptedException token = (StreamInterruptedException) failure.getSuppressed()[0];
    Collector<Map.Entry<String, String>> rest = new Collector<>(Long.MAX_VALUE);
    cluster.stream().resumeFrom(token.resumeToken()).entries().subscribe(rest);
    cluster.settle();
    assertThat(rest.received).anyMatch(entry -> entry.getKey().equals("key-33"));
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void aListenerThatThrowsEndsTheStream() {
    cluster.fill(50);
    Collector<Map.Entry<String, String>> collector = new Collector<>(Long.MAX_VALUE);
    cluster.stream()
        .listener(
            new StreamListener() {
              @Override
              public void segmentCompleted(int segment) {
                throw new IllegalStateException("enough");
              }
            })
        .entries()
        .subscribe(collector);
    cluster.settle();
    assertThat(collector.errors).hasSize(1);
    assertThat(collector.errors.get(0)).hasMessage("enough");
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void anExecutorThatRefusesEndsTheStreamWithAnError() {
    cluster.fill(50);
    Collector<Map.Entry<String, String>> collector = new Collector<>(1);
    cluster.stream()
        .executor(
            task -> {
              throw new RejectedExecutionException("shut down");
            })
        .entries()
        .subscribe(collector);
    assertThat(collector.errors).hasSize(1).allMatch(HeadraceException.class::isInstance);
  }

  @Test
  void anExecutorThatThrowsWhateverEndsTheStreamWithAnError() {
    cluster.fill(50);
    for (Throwable thrown : List.of(new IllegalStateException("broken"), new OutOfMemoryError())) {
      Collector<Map.Entry<String, String>> collector = new Collector<>(1);
      cluster.stream().executor(task -> sneakily(thrown)).entries().subscribe(collector);
      assertThat(collector.errors).hasSize(1).allMatch(HeadraceException.class::isInstance);
      assertThat(collector.errors.get(0)).hasCause(thrown);
    }
  }

  @Test
  void anExecutorThatThrowsAfterItHasTakenTheTaskDoesNoHarm() {
    cluster.fill(50);
    Collector<Map.Entry<String, String>> collector = new Collector<>(Long.MAX_VALUE);
    cluster.stream()
        .executor(
            task -> {
              task.run();
              task.run();
              throw new IllegalStateException("broken");
            })
        .entries()
        .subscribe(collector);
    cluster.settle();
    assertThat(collector.received).hasSize(50);
    assertThat(collector.completions).isEqualTo(1);
  }

  private static void sneakily(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) thrown;
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    assertThatThrownBy(() -> cluster.stream().batchSize(0)).hasMessageContaining("batchSize");
    assertThatThrownBy(() -> cluster.stream().batchBytes(-1)).hasMessageContaining("batchBytes");
    assertThatThrownBy(() -> cluster.stream().parallelism(0)).hasMessageContaining("parallelism");
    assertThatThrownBy(() -> cluster.stream().segments(Set.of(8)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("between 0 and 7");
    assertThatThrownBy(() -> cluster.stream().executor(null))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void aSubscriptionThatIsOverTakesNoNotice() {
    cluster.fill(5);
    Collector<Map.Entry<String, String>> collector = subscribe(Long.MAX_VALUE);
    cluster.settle();
    Subscription over = collector.subscription;
    over.request(0);
    over.cancel();
    over.request(1);
    cluster.settle();
    assertThat(collector.completions + collector.errors.size()).isEqualTo(1);
  }

  private Collector<Map.Entry<String, String>> subscribe(long demand) {
    Collector<Map.Entry<String, String>> collector = new Collector<>(demand);
    cluster.stream().entries().subscribe(collector);
    return collector;
  }
}
