package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.BatchReader;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.plan.StreamPlan;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Real threads on both sides of the hand-off between answers and the drain: a lost wake-up would
 * let a stream hang, a lost race would leak a buffer or give it back twice.
 */
class HandOffTest {

  private static final int STREAMS = 3_000;

  private final SyntheticCluster cluster = new SyntheticCluster(1, 3, 6, 1);
  private final ExecutorService wires = Executors.newFixedThreadPool(3);
  private final ExecutorService drains = Executors.newFixedThreadPool(2);
  private final AtomicInteger buffers = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();

  @AfterEach
  void stop() {
    wires.shutdownNow();
    drains.shutdownNow();
  }

  private void read(dev.headrace.stream.NodeId node, ReadRequest request, ReadHandler handler) {
    asked.incrementAndGet();
    wires.execute(
        () -> {
          BatchReader reader = new BatchReader();
          ByteBuffer out = ByteBuffer.allocate(request.maxBytes());
          List<SegmentPart> parts = reader.answer(cluster.node(node).store, 0, request, out);
          out.flip();
          buffers.incrementAndGet();
          handler.received(new Batch(0, out, parts, reader.entryBytes(), buffers::decrementAndGet));
          answered.incrementAndGet();
        });
  }

  private CacheStream<String, String> stream() {
    StreamEnvironment inner = cluster.environment();
    StreamEnvironment environment =
        new StreamEnvironment(
            inner.ownership(),
            this::read,
            new NoAlarms(),
            drains,
            inner.hashSpace(),
            inner.clusterIdentity(),
            inner.nodeName(),
            inner.clusterMillis(),
            inner.memory());
    return StreamPlan.over(
            environment, new CacheSettings<>("quotes", Codecs.string(), Codecs.string()), 0)
        .batchSize(6)
        .batchBytes(400);
  }

  /** Without alarms nothing but the answers can wake a stream. */
  private static final class NoAlarms implements dev.headrace.stream.Timer {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
      return () -> {};
    }
  }

  @Test
  void noWakeUpOfAnIteratorIsLost() {
    cluster.fill(40);
    for (int i = 0; i < STREAMS; i++) {
      int read = 0;
      try (CloseableIterator<String> keys = stream().keys().iterator()) {
        while (keys.hasNext()) {
          keys.next();
          read++;
        }
      }
      assertThat(read).isEqualTo(40);
    }
    assertAllGivenBack();
  }

  @Test
  void noWakeUpOfADrainIsLost() throws InterruptedException {
    cluster.fill(40);
    CountDownLatch ends = new CountDownLatch(STREAMS);
    AtomicLong entries = new AtomicLong();
    for (int i = 0; i < STREAMS; i++) {
      int demand = 1 + i % 7;
      stream().keys().subscribe(new Counting(demand, Integer.MAX_VALUE, entries, ends));
    }
    assertThat(ends.await(60, TimeUnit.SECONDS)).as("all streams end").isTrue();
    assertThat(entries.get()).isEqualTo(40L * STREAMS);
    assertAllGivenBack();
  }

  @Test
  void aCancelAtAnyMomentGivesEverythingBack() throws InterruptedException {
    cluster.fill(40);
    CountDownLatch ends = new CountDownLatch(STREAMS);
    AtomicLong entries = new AtomicLong();
    for (int i = 0; i < STREAMS; i++) {
      Counting counting = new Counting(5, i % 41, entries, ends);
      stream().keys().subscribe(counting);
      if (i % 3 == 0) {
        counting.subscription.cancel();
        ends.countDown();
      }
    }
    assertThat(ends.await(60, TimeUnit.SECONDS)).as("all streams end").isTrue();
    assertAllGivenBack();
  }

  @Test
  void anIteratorClosedByAnotherThreadGivesEverythingBackOnce() throws Exception {
    cluster.fill(40);
    ExecutorService closers = Executors.newSingleThreadExecutor();
    try {
      for (int i = 0; i < STREAMS; i++) {
        CloseableIterator<String> keys = stream().keys().iterator();
        CyclicBarrier start = new CyclicBarrier(2);
        Future<?> closing =
            closers.submit(
                () -> {
                  start.await();
                  keys.close();
                  return null;
                });
        start.await();
        try {
          for (int k = 0; k < i % 41 && keys.hasNext(); k++) {
            assertThat(keys.next()).isNotEmpty();
          }
        } catch (IllegalStateException e) {
          assertThat(e).hasMessageContaining("closed");
        }
        closing.get();
        keys.close(); // by the thread that iterates: a close from elsewhere waits for it
      }
    } finally {
      closers.shutdownNow();
    }
  }

  private void assertAllGivenBack() {
    await(() -> answered.get() == asked.get());
    await(() -> buffers.get() == 0);
    assertThat(buffers.get()).isZero();
  }

  private static void await(java.util.function.BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadlineNanos).as("waited too long").isNegative();
      Thread.onSpinWait();
    }
  }

  /** Requests a few at a time and cancels after so many entries. */
  private static final class Counting implements Subscriber<String> {
    private final int demand;
    private final int cancelAfter;
    private final AtomicLong entries;
    private final CountDownLatch ends;
    private volatile Subscription subscription;
    private int seen;

    Counting(int demand, int cancelAfter, AtomicLong entries, CountDownLatch ends) {
      this.demand = demand;
      this.cancelAfter = cancelAfter;
      this.entries = entries;
      this.ends = ends;
    }

    @Override
    public void onSubscribe(Subscription offered) {
      subscription = offered;
      offered.request(demand);
    }

    @Override
    public void onNext(String next) {
      seen++;
      entries.incrementAndGet();
      if (seen == cancelAfter) {
        subscription.cancel();
        ends.countDown();
      } else if (seen % demand == 0) {
        subscription.request(demand);
      }
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError(failure);
    }

    @Override
    public void onComplete() {
      ends.countDown();
    }
  }
}
