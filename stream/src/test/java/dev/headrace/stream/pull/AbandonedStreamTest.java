package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.plan.StreamPlan;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A stream that nobody refers to any more gives its buffers back, cancelled or not. */
class AbandonedStreamTest {

  private final SyntheticCluster cluster = new SyntheticCluster(1, 3, 9, 1);

  @Test
  void aSubscriptionThatNobodyHoldsGivesItsBuffersBack() {
    cluster.fill(1000);
    WeakReference<Object> subscriber = abandon();
    collect(() -> cluster.buffersOut == 0);
    assertThat(subscriber.get()).isNull();
  }

  @Test
  void whoObservesASubscriptionThatNobodyHoldsHearsOfItsEnd() {
    cluster.fill(1000);
    List<String> heard = new CopyOnWriteArrayList<>();
    WeakReference<Object> subscriber = abandon(cluster.stream(cache -> new Observed(heard)));
    assertThat(heard).contains("asked").doesNotContain("ended 1 false");
    collect(() -> heard.contains("ended 1 false") && cluster.buffersOut == 0);
    assertThat(subscriber.get()).isNull();
  }

  private record Observed(List<String> heard) implements StreamObserver.Stream {
    @Override
    public StreamObserver.Batch asked(String node) {
      heard.add("asked");
      return new StreamObserver.Batch() {
        @Override
        public void received(int entries, long bytes) {}

        @Override
        public void failed(Throwable cause) {}
      };
    }

    @Override
    public void ended(long elements, boolean complete, @Nullable Throwable failure) {
      heard.add("ended " + elements + " " + complete);
    }
  }

  private WeakReference<Object> abandon() {
    return abandon(cluster.stream());
  }

  private WeakReference<Object> abandon(StreamPlan<String, String> stream) {
    Collector<Map.Entry<String, String>> collector = new Collector<>(1);
    stream.batchSize(64).entries().subscribe(collector);
    cluster.settle();
    assertThat(collector.received).hasSize(1);
    assertThat(cluster.buffersOut).isPositive();
    return new WeakReference<>(collector);
  }

  @Test
  void aLoopThatIsLeftLeavesNothing() {
    SyntheticCluster alone = new SyntheticCluster(1, 1, 9, 1);
    alone.fill(1000);
    for (int i = 0; i < 100; i++) {
      leaveAtOnce(alone);
    }
    collect(() -> alone.buffersOut == 0);
    assertThat(alone.memory.usage().streams()).isZero();
  }

  private static void leaveAtOnce(SyntheticCluster alone) {
    for (Map.Entry<String, String> entry :
        alone.stream()
            .batchSize(300)
            .executor(Runnable::run)
            .entries()
            .toFlowable()
            .blockingIterable(16)) {
      assertThat(alone.content).contains(entry);
      break;
    }
  }

  @Test
  void aListenerThatRefersToItsStreamDoesNotKeepIt() {
    cluster.fill(1000);
    WeakReference<Object> subscriber = abandonWatched();
    SyntheticCluster alone = new SyntheticCluster(1, 1, 9, 1);
    alone.fill(1000);
    WeakReference<Object> iterator = leaveWatched(alone);
    collect(() -> cluster.buffersOut == 0 && alone.buffersOut == 0);
    assertThat(subscriber.get()).isNull();
    assertThat(iterator.get()).isNull();
  }

  /** Nothing else refers to the listener while its stream is read. */
  @Test
  void aListenerIsHeldAsLongAsItsStreamIs() {
    List<Integer> completed = new CopyOnWriteArrayList<>();
    CloseableIterator<String> iterator = read(completed);
    System.gc();
    iterator.forEachRemaining(key -> {});
    assertThat(completed).hasSize(9).doesNotHaveDuplicates();
  }

  private static CloseableIterator<String> read(List<Integer> completed) {
    SyntheticCluster alone = new SyntheticCluster(1, 1, 9, 1);
    alone.fill(1000);
    Watching watching = new Watching(completed);
    return alone.stream().batchSize(64).listener(watching).keys().iterator();
  }

  /** Refers to the stream that it watches. */
  private static final class Watching implements StreamListener {
    private final List<Integer> completed;
    private @Nullable Object stream;

    Watching(List<Integer> completed) {
      this.completed = completed;
    }

    /** Returns what it watches. */
    <S> S of(S watched) {
      assertThat(stream).isNull();
      stream = watched;
      return watched;
    }

    @Override
    public void segmentCompleted(int segment) {
      completed.add(segment);
    }
  }

  private WeakReference<Object> abandonWatched() {
    Watching watching = new Watching(new CopyOnWriteArrayList<>());
    Collector<Map.Entry<String, String>> collector = watching.of(new Collector<>(1));
    cluster.stream().listener(watching).batchSize(64).entries().subscribe(collector);
    cluster.settle();
    assertThat(collector.received).hasSize(1);
    return new WeakReference<>(collector);
  }

  private static WeakReference<Object> leaveWatched(SyntheticCluster alone) {
    Watching watching = new Watching(new CopyOnWriteArrayList<>());
    CloseableIterator<String> iterator =
        watching.of(alone.stream().listener(watching).batchSize(64).keys().iterator());
    assertThat(iterator.hasNext()).isTrue();
    assertThat(alone.buffersOut).isPositive();
    return new WeakReference<>(iterator);
  }

  @Test
  void aSubscriptionThatWaitsForEntriesIsNotForgotten() {
    cluster.fill(1000);
    cluster.maxDelayNanos = 50_000_000;
    int[] count = new int[1];
    WeakReference<Object> subscriber = count(count);
    for (int i = 0; i < 3; i++) {
      System.gc();
      cluster.advanceNanos(20_000_000);
    }
    assertThat(subscriber.get()).isNotNull();
    cluster.settle();
    assertThat(count[0]).isEqualTo(1000);
    assertThat(cluster.buffersOut).isZero();
  }

  private WeakReference<Object> count(int[] count) {
    Collector<Map.Entry<String, String>> counting =
        new Collector<>(Long.MAX_VALUE) {
          @Override
          public void onNext(Map.Entry<String, String> next) {
            count[0]++;
          }
        };
    cluster.stream().batchSize(40).entries().subscribe(counting);
    return new WeakReference<>(counting);
  }

  private static void collect(BooleanSupplier done) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!done.getAsBoolean()) {
      assertThat(System.nanoTime() - deadlineNanos).as("waited too long").isNegative();
      System.gc();
      Thread.onSpinWait();
    }
  }
}
