package dev.headrace.cluster.node;

import static dev.headrace.cluster.node.Quotes.await;
import static dev.headrace.cluster.node.Quotes.cache;
import static dev.headrace.cluster.node.Quotes.entries;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.ClusterStatus.StreamMemory;
import dev.headrace.api.stream.CloseableIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Streams that pause, or that nobody refers to any more, do not take a node's memory. */
@Timeout(240)
class PausedStreamsTest {
  private static final int PAUSED = 5000;
  private static final long BUDGET_BYTES = 96 << 20;

  /** Headers, cursors, and what buffers are rounded up by. */
  private static final long SLACK_BYTES = 48 << 20;

  @Test
  void oneMoreStreamRunsBesideThousandsThatArePaused() throws Exception {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      HeadraceNode client =
          cluster.start(settings -> settings.capacity(0).streamMemoryBytes(BUDGET_BYTES));
      Map<String, String> all = entries();
      cache(client).putAll(all);
      List<CloseableIterator<Map.Entry<String, String>>> iterators = new ArrayList<>();
      for (int i = 0; i < PAUSED - 300; i++) {
        CloseableIterator<Map.Entry<String, String>> iterator =
            cache(client).stream().entries().iterator();
        for (int k = 0; k <= i % 50 * 20; k++) {
          assertThat(iterator.hasNext()).isTrue();
          iterator.next();
        }
        iterators.add(iterator);
      }
      CountDownLatch received = new CountDownLatch(300);
      List<OneEntry> subscribers = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        OneEntry subscriber = new OneEntry(received);
        cache(client).stream().entries().subscribe(subscriber);
        subscribers.add(subscriber);
      }
      assertThat(received.await(120, TimeUnit.SECONDS)).isTrue();
      assertThat(client.status().streamMemory().streams()).isEqualTo(PAUSED);
      assertWithinBudget(client);
      assertThat(cache(client).stream().entries().toFlowable().count().blockingGet())
          .isEqualTo(all.size());
      assertWithinBudget(client);
      CloseableIterator<Map.Entry<String, String>> resumed = iterators.get(49);
      AtomicLong rest = new AtomicLong();
      resumed.forEachRemaining(entry -> rest.incrementAndGet());
      assertThat(rest.get()).isEqualTo(all.size() - 981L);
      iterators.forEach(CloseableIterator::close);
      subscribers.forEach(subscriber -> subscriber.subscription.cancel());
      await(() -> client.status().streamMemory().usedBytes() == 0);
    }
  }

  private static void assertWithinBudget(HeadraceNode node) {
    StreamMemory memory = node.status().streamMemory();
    assertThat(memory.budgetBytes()).isEqualTo(BUDGET_BYTES);
    assertThat(memory.usedBytes()).isLessThanOrEqualTo(BUDGET_BYTES);
    assertThat(node.usedBufferBytes()).isLessThanOrEqualTo(memory.usedBytes() + SLACK_BYTES);
  }

  /** Asks for one entry and then for nothing. */
  private static final class OneEntry implements Subscriber<Map.Entry<String, String>> {
    private final CountDownLatch received;
    private volatile Subscription subscription;

    OneEntry(CountDownLatch received) {
      this.received = received;
    }

    @Override
    public void onSubscribe(Subscription offered) {
      subscription = offered;
      offered.request(1);
    }

    @Override
    public void onNext(Map.Entry<String, String> entry) {
      received.countDown();
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError(failure);
    }

    @Override
    public void onComplete() {
      throw new AssertionError("only one entry was asked for");
    }
  }

  @Test
  void loopsThatAreLeftLeaveNothing() {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      HeadraceNode node = cluster.node(0);
      cache(node).putAll(entries());
      for (int i = 0; i < 100; i++) {
        leaveAtOnce(node);
      }
      await(
          () -> {
            System.gc();
            return node.status().streamMemory().streams() == 0;
          });
      assertThat(node.status().streamMemory().usedBytes()).isZero();
    }
  }

  private static void leaveAtOnce(HeadraceNode node) {
    for (Map.Entry<String, String> entry :
        cache(node).stream().entries().toFlowable().blockingIterable()) {
      assertThat(entry.getValue()).startsWith("value-");
      break;
    }
  }
}
