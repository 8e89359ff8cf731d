package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamInterruptedException;
import io.reactivex.rxjava3.core.Flowable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.Test;

/** How an iterator is pulled, waits, ends and is closed. */
class StreamIteratorTest {

  private final SyntheticCluster cluster = new SyntheticCluster(1, 1, 8, 1);

  @Test
  void entriesKeysAndValuesAreIterated() {
    cluster.fill(1000);
    List<String> keys = new ArrayList<>();
    cluster.stream().keys().iterator().forEachRemaining(keys::add);
    assertThat(keys).containsExactlyInAnyOrderElementsOf(cluster.content.keySet());
    List<String> values = new ArrayList<>();
    cluster.stream().values().iterator().forEachRemaining(values::add);
    assertThat(values).containsExactlyInAnyOrderElementsOf(cluster.content.values());
    List<Map.Entry<String, String>> entries = new ArrayList<>();
    cluster.stream().batchSize(33).entries().iterator().forEachRemaining(entries::add);
    assertThat(entries).containsExactlyInAnyOrderElementsOf(cluster.content.entrySet());
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
