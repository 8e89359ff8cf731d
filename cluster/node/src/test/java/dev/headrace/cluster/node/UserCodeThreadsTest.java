package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.StreamListener;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Codecs, subscribers, listeners and stages run on the caller's or the node's threads for them. */
@Timeout(120)
class UserCodeThreadsTest {
  private static final int ENTRIES = 3000;

  /** Names of all threads that have run user code. */
  private final Set<String> threads = ConcurrentHashMap.newKeySet();

  private void here() {
    threads.add(Thread.currentThread().getName());
  }

  private <T> Codec<T> watched(Codec<T> codec) {
    return new Codec<>() {
      @Override
      public String format() {
        return codec.format();
      }

      @Override
      public void encode(T value, ByteOutput out) {
        here();
        codec.encode(value, out);
      }

      @Override
      public T decode(ByteInput in) {
        here();
        return codec.decode(in);
      }
    };
  }

  @Test
  void userCodeNeverRunsOnAThreadOfTheWireTheTimerOrTheMembership() throws Exception {
    try (NodeCluster cluster = NodeCluster.of(2)) {
      HeadraceNode client = cluster.start(settings -> settings.capacity(0));
      CacheSettings<String, String> watched =
          new CacheSettings<>("quotes", watched(Codecs.string()), watched(Codecs.string()));
      for (HeadraceNode node : List.of(client, cluster.node(0))) {
        Cache<String, String> cache = node.cache(watched);
        AsyncCache<String, String> direct = cache.async().executor(Runnable::run);
        List<CompletableFuture<?>> writes = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i++) {
          AsyncCache<String, String> async = i % 2 == 0 ? cache.async() : direct;
          writes.add(async.put("key-" + i, "value").thenRun(this::here));
        }
        CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        assertThat(cache.get("key-1")).isEqualTo("value");
        stream(cache.stream());
        stream(cache.stream().executor(Runnable::run));
        try (CloseableIterator<Map.Entry<String, String>> all =
            cache.stream().batchSize(100).entries().iterator()) {
          all.forEachRemaining(entry -> here());
        }
      }
    }
    assertUserThreadsOnly();
  }

  /** Functions of computations, subscribers of changes, listeners of the cluster, and loads. */
  @Test
  void functionsListenersAndLoadsDoNotEither() throws Exception {
    CountDownLatch joined = new CountDownLatch(1);
    CountDownLatch changed = new CountDownLatch(ENTRIES / 10);
    try (NodeCluster cluster = NodeCluster.of(1)) {
      HeadraceNode first = cluster.node(0);
      var unused =
          first.listen(
              event -> {
                here();
                joined.countDown();
              });
      HeadraceNode client = cluster.start(settings -> settings.capacity(0));
      assertThat(joined.await(60, TimeUnit.SECONDS)).isTrue();
      CacheSettings<String, String> watched =
          new CacheSettings<>("sums", watched(Codecs.string()), watched(Codecs.string()));
      Disposable changes =
          Flowable.fromPublisher(first.cache(watched).changes().withContent().changes())
              .subscribe(
                  change -> {
                    here();
                    changed.countDown();
                  });
      for (HeadraceNode node : List.of(client, first)) {
        Cache<String, String> cache = node.cache(watched);
        List<CompletableFuture<?>> sums = new ArrayList<>();
        for (int i = 0; i < ENTRIES / 10; i++) {
          sums.add(cache.async().merge("key-" + i % 10, "x", this::joined).toCompletableFuture());
        }
        CompletableFuture.allOf(sums.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        Flowable<Map.Entry<String, String>> source =
            Flowable.range(0, ENTRIES).map(i -> Map.entry("loaded-" + i, "x"));
        cache
            .sink()
            .recordEnded(number -> here())
            .recordFailed(failed -> here())
            .progress(Duration.ofMillis(1), progress -> here())
            .load(source.doOnNext(entry -> here()))
            .get(60, TimeUnit.SECONDS);
      }
      assertThat(changed.await(60, TimeUnit.SECONDS)).isTrue();
      changes.dispose();
    }
    assertUserThreadsOnly();
  }

  private String joined(String before, String more) {
    here();
    return before.length() < 100 ? before + more : more;
  }

  private void assertUserThreadsOnly() {
    String caller = Thread.currentThread().getName();
    assertThat(threads).contains(caller);
    threads.remove(caller);
    assertThat(threads).isNotEmpty().allMatch(name -> name.matches("headrace-node-\\d-user-\\d+"));
  }

  private void stream(CacheStream<String, String> stream) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    stream
        .batchSize(100)
        .listener(new Watching())
        .entries()
        .subscribe(
            new Subscriber<>() {
              private Subscription subscription;

              @Override
              public void onSubscribe(Subscription offered) {
                subscription = offered;
                offered.request(1);
              }

              @Override
              public void onNext(Map.Entry<String, String> entry) {
                here();
                subscription.request(1);
              }

              @Override
              public void onError(Throwable failure) {
                throw new AssertionError(failure);
              }

              @Override
              public void onComplete() {
                here();
                ended.countDown();
              }
            });
    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
  }

  private final class Watching implements StreamListener {
    @Override
    public void batchReceived(String node, int entries, long bytes) {
      here();
    }

    @Override
    public void segmentCompleted(int segment) {
      here();
    }

    @Override
    public void batchConsumed(Supplier<String> token) {
      here();
    }
  }
}
