package dev.headrace.stream.pull;

import static dev.headrace.stream.pull.Completeness.assertSameElements;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.plan.StreamPlan;
import dev.headrace.stream.publisher.StreamIterator;
import io.reactivex.rxjava3.core.Flowable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** How an iterator is pulled, waits, ends and is closed. */
class StreamIteratorTest {

  private final SyntheticCluster cluster = new SyntheticCluster(1, 1, 8, 1);

  @Test
  void entriesKeysAndValuesAreIterated() {
    cluster.fill(1000);
    List<String> keys = new ArrayList<>();
    cluster.stream().keys().iterator().forEachRemaining(keys::add);
    assertSameElements(keys, cluster.content.keySet());
    List<String> values = new ArrayList<>();
    cluster.stream().values().iterator().forEachRemaining(values::add);
    assertSameElements(values, cluster.content.values());
    List<Map.Entry<String, String>> entries = new ArrayList<>();
    cluster.stream().batchSize(33).entries().iterator().forEachRemaining(entries::add);
    assertSameElements(entries, cluster.content.entrySet());
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void theEndIsTheEndHoweverOftenItIsAskedFor() {
    CloseableIterator<String> iterator = cluster.stream().keys().iterator();
    assertThat(iterator.hasNext()).isFalse();
    assertThat(iterator.hasNext()).isFalse();
    assertThatThrownBy(iterator::next).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void closingGivesTheBuffersBackAndTheIteratorSaysSo() {
    cluster.fill(100);
    CloseableIterator<String> iterator = cluster.stream().batchSize(16).keys().iterator();
    iterator.next();
    assertThat(cluster.buffersOut).isPositive();
    iterator.close();
    iterator.close();
    assertThat(cluster.buffersOut).isZero();
    assertThatThrownBy(iterator::hasNext)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(iterator::next).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anErrorIsThrownEveryTime() {
    cluster.fill(10);
    cluster.crash(0);
    cluster.removeDead();
    cluster.publish();
    CloseableIterator<String> iterator = cluster.stream().keys().iterator();
    assertThatThrownBy(iterator::hasNext).isInstanceOf(StreamInterruptedException.class);
    assertThatThrownBy(iterator::next).isInstanceOf(StreamInterruptedException.class);
  }

  @Test
  void anInterruptedWaitThrowsKeepsTheFlagAndLeavesTheIteratorIntact() {
    SyntheticCluster two = new SyntheticCluster(2, 2, 4, 1);
    two.fill(100);
    CloseableIterator<String> iterator = two.stream().batchSize(1).keys().iterator();
    Thread.currentThread().interrupt();
    assertThatThrownBy(
            () -> {
              while (iterator.hasNext()) {
                iterator.next();
              }
            })
        .isInstanceOf(HeadraceException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    two.settle();
    assertThat(iterator.hasNext()).isTrue();
    iterator.close();
    two.settle();
    assertThat(two.buffersOut).isZero();
  }

  @Test
  void closingFromAnotherThreadWakesTheOneThatWaits() throws InterruptedException {
    SyntheticCluster two = new SyntheticCluster(3, 2, 4, 1);
    two.fill(100);
    two.nodes.get(1).silent = true;
    two.nodes.get(0).silent = true;
    CloseableIterator<String> iterator = two.stream().keys().iterator();
    List<Throwable> thrown = new ArrayList<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                assertThat(iterator.hasNext()).isFalse();
              } catch (IllegalStateException e) {
                thrown.add(e);
              }
            });
    waiting.start();
    while (waiting.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    iterator.close();
    waiting.join();
    assertThat(thrown).hasSize(1);
  }

  @Test
  void anyPublisherCanBeIterated() {
    StreamIterator<Integer> iterator = new StreamIterator<>();
    Flowable.range(0, 10_000).subscribe(iterator);
    for (int i = 0; i < 10_000; i++) {
      assertThat(iterator.next()).isEqualTo(i);
    }
    assertThat(iterator.hasNext()).isFalse();
  }

  @Test
  void aForeignPublishersErrorIsThrownAfterItsElements() {
    StreamIterator<Integer> iterator = new StreamIterator<>();
    Flowable.just(1)
        .concatWith(Flowable.error(new java.io.IOException("gone")))
        .subscribe(iterator);
    assertThat(iterator.next()).isEqualTo(1);
    assertThatThrownBy(iterator::hasNext)
        .isInstanceOf(HeadraceException.class)
        .hasRootCauseMessage("gone");
  }

  @Test
  void closedByTheThreadThatBeganItItKeepsTheBatchThatAnotherThreadDecodes() throws Exception {
    cluster.fill(100);
    CountDownLatch decoding = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    AtomicBoolean pausing = new AtomicBoolean();
    CloseableIterator<String> iterator =
        pausingStream(
                () -> {
                  if (pausing.get()) {
                    decoding.countDown();
                    uninterruptibly(closed);
                  }
                })
            .keys()
            .iterator();
    iterator.next();
    pausing.set(true);
    CompletableFuture<String> pulled = CompletableFuture.supplyAsync(iterator::next);
    decoding.await();
    iterator.close();
    closed.countDown();
    assertThat(cluster.content).containsKey(pulled.get(60, TimeUnit.SECONDS));
    assertThatThrownBy(iterator::next).isInstanceOf(IllegalStateException.class);
    CompletableFuture<Boolean> asked = CompletableFuture.supplyAsync(iterator::hasNext);
    assertThatThrownBy(() -> asked.get(60, TimeUnit.SECONDS)).hasMessageContaining("closed");
    assertThat(cluster.buffersOut).isZero();
  }

  private CacheStream<String, String> pausingStream(Runnable beforeDecoding) {
    Codec<String> codec =
        new Codec<>() {
          @Override
          public String format() {
            return Codecs.string().format();
          }

          @Override
          public void encode(String value, ByteOutput out) {
            Codecs.string().encode(value, out);
          }

          @Override
          public String decode(ByteInput in) {
            beforeDecoding.run();
            return Codecs.string().decode(in);
          }
        };
    return StreamPlan.over(cluster.environment(), new CacheSettings<>("quotes", codec, codec), 0);
  }

  private static void uninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aListenerMayCloseItsIteratorAtAnyOfItsCalls() {
    cluster.fill(100);
    List<CloseableIterator<String>> iterators = new ArrayList<>();
    for (int call = 1; call < 40; call++) {
      int[] left = {call};
      iterators.clear();
      Runnable step =
          () -> {
            if (--left[0] == 0) {
              iterators.get(0).close();
            }
          };
      iterators.add(cluster.stream().batchSize(20).listener(stepping(step)).keys().iterator());
      try {
        while (iterators.get(0).hasNext()) {
          assertThat(cluster.content).containsKey(iterators.get(0).next());
        }
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageContaining("closed");
      }
      cluster.settle();
      assertThat(cluster.buffersOut).as("closed in call %d", call).isZero();
    }
  }

  private static StreamListener stepping(Runnable step) {
    return new CreditListener() {
      @Override
      public void batchReceived(String node, int entries, long bytes) {
        step.run();
      }

      @Override
      public void segmentCompleted(int segment) {
        step.run();
      }

      @Override
      public void batchConsumed(Supplier<String> token) {
        step.run();
      }

      @Override
      public void credited(int entries, long bytes) {
        step.run();
      }
    };
  }

  @Test
  void anIteratorThatNobodyHoldsGivesItsBuffersBack() {
    cluster.fill(1000);
    abandon();
    while (cluster.buffersOut > 0) {
      System.gc();
      Thread.onSpinWait();
    }
    assertThat(cluster.buffersOut).isZero();
  }

  private void abandon() {
    CloseableIterator<String> iterator = cluster.stream().batchSize(64).keys().iterator();
    assertThat(iterator.hasNext()).isTrue();
    assertThat(cluster.buffersOut).isPositive();
  }
}
