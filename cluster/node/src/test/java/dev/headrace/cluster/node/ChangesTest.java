package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.RetainedChanges;
import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.ChangeListener;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.api.stream.CloseableIterator;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Streams of changes of a cluster of real nodes. */
class ChangesTest {
  private static final long STALL_NANOS =
      TimeUnit.SECONDS.toNanos(Integer.getInteger("headrace.stall.seconds", 1));

  /** More than what is in flight, and a fraction of what is written in a minute. */
  private static final long HEAP_SLACK = 16 << 20;

  private static Cache<String, Integer> cache(HeadraceNode node) {
    return node.cache("prices", String.class, Integer.class);
  }

  private static NodeCluster cluster(int nodes) {
    return NodeCluster.of(
        nodes,
        settings ->
            settings.retainedChanges(RetainedChanges.ofBytes(8 << 20).withPreviousValues()));
  }

  @Test
  void everyChangeOfAKeyIsToldInOrder() throws Exception {
    try (NodeCluster cluster = cluster(3);
        ChangeCopy copy = new ChangeCopy()) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      cache.put("before", 1);
      copy.follow(cache(cluster.node(1)).changes().withPrevious().keys(Set.of("k")));
      cache.put("k", 1);
      cache.put("other", 1);
      cache.put("k", 2);
      cache.putIfAbsent("k", 3);
      cache.remove("k");
      cache.remove("k");
      cache.put("k", 4, Duration.ofMillis(1));
      assertThat(copy.told(5))
          .containsExactly(
              "CREATED k 1 from null",
              "UPDATED k 2 from 1",
              "REMOVED k null from 2",
              "CREATED k 4 from null",
              "EXPIRED k null from 4");
    }
  }

  @Test
  void previousValuesAreToldOnlyToWhoWantsThem() {
    try (NodeCluster cluster = cluster(1)) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      cache.put("k", 0);
      try (CloseableIterator<Change<String, Integer>> all =
              cache.changes().withContent().withPrevious().changes().iterator();
          CloseableIterator<Change<String, Integer>> some =
              cache.changes().withContent().changes().iterator()) {
        all.next();
        some.next();
        cache.put("k", 1);
        assertThat(((Change.OfKey<String, Integer>) all.next()).previous()).isZero();
        assertThat(((Change.OfKey<String, Integer>) some.next()).previous()).isNull();
      }
    }
  }

  @Test
  void theContentComesBeforeItsChangesWhileItIsWritten() throws Exception {
    try (NodeCluster cluster = cluster(3);
        ChangeCopy copy = new ChangeCopy()) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      for (int i = 0; i < 2000; i++) {
        cache.put("k" + i, i);
      }
      copy.follow(cache(cluster.node(2)).changes().withContent().withPrevious().batchBytes(4096));
      for (int round = 1; round <= 20; round++) {
        for (int i = 0; i < 200; i++) {
          int key = (round * 97 + i * 31) % 2200;
          if (i % 5 == 0) {
            cache.remove("k" + key);
          } else {
            cache.put("k" + key, round * 10_000 + i);
          }
        }
      }
      copy.becomes(cache);
      assertThat(copy.replaced()).isZero();
    }
  }

  @Test
  void changesFollowTheContentThatAStreamChooses() throws Exception {
    try (NodeCluster cluster = cluster(3);
        ChangeCopy copy = new ChangeCopy()) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      for (int i = 0; i < 500; i++) {
        cache.put("k" + i, i);
      }
      copy.follow(cache(cluster.node(1)).stream().keys(Set.of("k7")).thenChanges().withPrevious());
      assertThat(copy.told(1)).containsExactly("PRESENT k7 7 from null");
      cache.put("k8", 80);
      cache.put("k7", 70);
      assertThat(copy.told(2)).contains("UPDATED k7 70 from 7");
    }
  }

  @Test
  void aClearRemovesWhatWasThereAndNothingElse() throws Exception {
    try (NodeCluster cluster = cluster(2);
        ChangeCopy copy = new ChangeCopy()) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      for (int i = 0; i < 500; i++) {
        cache.put("k" + i, i);
      }
      copy.follow(cache(cluster.node(1)).changes().withContent().withPrevious());
      cache.put("more", 1);
      cache.clear();
      cache.put("after", 2);
      copy.becomes(cache);
      assertThat(copy.state()).containsExactly(Map.entry("after", 2));
    }
  }

  @Test
  void nothingIsLostOrDoubledWhenANodeCrashesAndOthersJoin() throws Exception {
    try (NodeCluster cluster = cluster(3);
        ChangeCopy copy = new ChangeCopy()) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      cache.put("first", 0);
      copy.follow(cache(cluster.node(2)).changes().withContent().withPrevious());
      for (int i = 0; i < 6000; i++) {
        cache.put("k" + i % 700, i);
        if (i == 1500) {
          cluster.node(1).kill();
        }
        if (i == 3000) {
          cluster.start(
              settings ->
                  settings.retainedChanges(RetainedChanges.ofBytes(8 << 20).withPreviousValues()));
        }
      }
      copy.becomes(cache);
      // A segment may have been replaced: its new primary has not retained what a reader who is
      // late on a busy machine asks for.
    }
  }

  /** A minute of it: {@code -Dheadrace.stall.seconds=60}. */
  @Test
  void aReaderThatFallsBehindGetsTheRightStateInBoundedMemory() throws Exception {
    long bytes = 64 << 10;
    try (NodeCluster cluster =
            NodeCluster.of(
                3,
                settings -> settings.segments(16).retainedChanges(RetainedChanges.ofBytes(bytes)));
        ChangeCopy copy = new ChangeCopy()) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      for (int i = 0; i < 300; i++) {
        cache.put("k" + i, i);
      }
      copy.follow(cache(cluster.node(1)).changes().withContent().batchBytes(2048));
      copy.becomes(cache);
      copy.pause();
      writeEverywhere(cluster, 5_000, () -> {});
      long heapBytes = heapBytesInUse();
      long end = System.nanoTime() + STALL_NANOS;
      do {
        writeEverywhere(
            cluster,
            5_000,
            () -> {
              for (int node = 0; node < 3; node++) {
                assertThat(cluster.node(node).lanes().changeBytes()).isLessThanOrEqualTo(bytes);
              }
            });
      } while (System.nanoTime() - end < 0);
      assertThat(heapBytesInUse() - heapBytes).as("growth of the heap").isLessThan(HEAP_SLACK);
      copy.goOn();
      copy.becomes(cache);
      assertThat(copy.replaced()).isPositive();
    }
  }

  /** Each node writes as fast as it can, and looks at something now and then. */
  private static void writeEverywhere(NodeCluster cluster, int writes, Runnable look)
      throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(3);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int node = 0; node < 3; node++) {
        Cache<String, Integer> cache = cache(cluster.node(node));
        ends.add(
            writers.submit(
                () -> {
                  for (int i = 0; i < writes; i++) {
                    if (i % 7 == 0) {
                      cache.remove("k" + i % 400);
                    } else {
                      cache.put("k" + i % 400, i);
                    }
                    if (i % 1000 == 0) {
                      look.run();
                    }
                  }
                }));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    } finally {
      writers.shutdown();
    }
  }

  private static long heapBytesInUse() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Test
  void anotherNodeGoesOnFromATokenBehindAnyElement() {
    try (NodeCluster cluster = cluster(3)) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      for (int i = 0; i < 300; i++) {
        cache.put("k" + i, i);
      }
      Map<String, Integer> state = new HashMap<>();
      Map<String, Integer> stateOfToken = new HashMap<>();
      AtomicReference<String> token = new AtomicReference<>();
      ChangeListener listener =
          new ChangeListener() {
            @Override
            public void consumed(Supplier<String> after) {
              token.set(after.get());
              stateOfToken.clear();
              stateOfToken.putAll(state);
            }
          };
      for (int part = 0; part < 20; part++) {
        ChangeStream<String, Integer> stream =
            cache(cluster.node(part % 3)).changes().listener(listener);
        String from = token.get();
        try (CloseableIterator<Change<String, Integer>> changes =
            (from == null ? stream.withContent() : stream.resumeFrom(from)).changes().iterator()) {
          for (int i = 0; i < 23; i++) {
            cache.put("k" + (part * 7 + i) % 310, part * 1000 + i);
            changes.next().applyTo(state);
          }
        }
        state.clear();
        state.putAll(stateOfToken); // what came behind the token comes again
      }
      Map<String, Integer> content = new HashMap<>();
      cache.iterator().forEachRemaining(entry -> content.put(entry.getKey(), entry.getValue()));
      try (CloseableIterator<Change<String, Integer>> changes =
          cache.changes().resumeFrom(token.get()).changes().iterator()) {
        while (!state.equals(content)) {
          changes.next().applyTo(state);
        }
      }
    }
  }

  @Test
  void aTokenOfAnotherCacheIsRefused() {
    try (NodeCluster cluster = cluster(1)) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      AtomicReference<String> token = new AtomicReference<>();
      cache.put("k", 1);
      ChangeListener listener =
          new ChangeListener() {
            @Override
            public void consumed(Supplier<String> after) {
              token.set(after.get());
            }
          };
      try (CloseableIterator<Change<String, Integer>> changes =
          cache.changes().withContent().listener(listener).changes().iterator()) {
        changes.next();
        cache.put("k", 2);
        changes.next();
      }
      Cache<String, Integer> other = cluster.node(0).cache("other", String.class, Integer.class);
      String present = token.get();
      assertThatThrownBy(() -> other.changes().resumeFrom(present).changes().iterator().next())
          .isInstanceOf(ResumeTokenException.class)
          .hasMessageContaining("prices");
      assertThatThrownBy(() -> cache.changes().resumeFrom("x" + present))
          .isInstanceOf(ResumeTokenException.class);
      assertThatThrownBy(() -> cache.stream().resumeFrom(present))
          .isInstanceOf(ResumeTokenException.class);
    }
  }

  /** Who has left a loop over them has closed nothing, and what hears of them refers to them. */
  @Test
  void changesThatNobodyHoldsAreForgottenThoughTheirListenerRefersToThem() {
    try (NodeCluster cluster = cluster(1)) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      cache.put("k", 1);
      WeakReference<Object> left = leave(cache);
      Quotes.await(
          () -> {
            System.gc();
            return left.get() == null;
          });
      cache.put("k", 2);
      assertThat(cache.get("k")).isEqualTo(2);
    }
  }

  private static WeakReference<Object> leave(Cache<String, Integer> cache) {
    Watching watching = new Watching();
    CloseableIterator<Change<String, Integer>> changes =
        cache.changes().withContent().listener(watching).changes().iterator();
    watching.watched = changes;
    assertThat(changes.next().kind()).isIn(Change.Kind.PRESENT, Change.Kind.UPDATED);
    cache.put("k", 3);
    assertThat(changes.next().kind()).isIn(Change.Kind.PRESENT, Change.Kind.UPDATED);
    assertThat(watching.heard).as("while the changes are read").isPositive();
    return new WeakReference<>(watching.watched);
  }

  private static final class Watching implements ChangeListener {
    private @Nullable Object watched;
    private int heard;

    @Override
    public void consumed(Supplier<String> token) {
      heard++;
    }
  }

  /** It can ask for nothing more, and nothing else can wake it. */
  @Test
  void aSubscriberWithoutDemandThatNobodyHoldsIsForgotten() {
    try (NodeCluster cluster = cluster(1)) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      cache.putAll(Map.of("a", 1, "b", 2, "c", 3));
      List<Integer> heard = new CopyOnWriteArrayList<>();
      WeakReference<Object> left = subscribe(cache, 1, heard);
      Quotes.await(() -> heard.size() == 1);
      Quotes.await(
          () -> {
            System.gc();
            return left.get() == null;
          });
      assertThat(heard).hasSize(1);
    }
  }

  @Test
  void aSubscriberWithDemandHearsOfChangesThoughNobodyElseHoldsIt() {
    try (NodeCluster cluster = cluster(1)) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      cache.put("a", 0);
      List<Integer> heard = new CopyOnWriteArrayList<>();
      WeakReference<Object> left = subscribe(cache, Long.MAX_VALUE, heard);
      for (int round = 1; round <= 20; round++) {
        int written = round;
        System.gc();
        cache.put("a", written);
        Quotes.await(() -> heard.contains(written));
      }
      assertThat(left.get()).as("the subscriber").isNotNull();
    }
  }

  /** Subscribes what only the stream refers to. */
  private static WeakReference<Object> subscribe(
      Cache<String, Integer> cache, long demand, List<Integer> heard) {
    Subscriber<Change<String, Integer>> subscriber =
        new Subscriber<>() {
          @Override
          public void onSubscribe(Subscription subscription) {
            subscription.request(demand);
          }

          @Override
          public void onNext(Change<String, Integer> change) {
            if (change instanceof Change.OfKey<String, Integer> one) {
              heard.add(Objects.requireNonNull(one.value()));
            }
          }

          @Override
          public void onError(Throwable failure) {
            throw new AssertionError(failure);
          }

          @Override
          public void onComplete() {
            throw new AssertionError("changes do not end");
          }
        };
    cache.changes().withContent().changes().subscribe(subscriber);
    return new WeakReference<>(subscriber);
  }

  @Test
  void aNodeThatRetainsNothingSaysWhatToSet() {
    try (NodeCluster cluster =
        NodeCluster.of(1, settings -> settings.retainedChanges(RetainedChanges.none()))) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      assertThatThrownBy(() -> cache.changes().changes().iterator().next())
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("retainedChanges");
    }
    try (NodeCluster cluster = NodeCluster.of(1)) {
      Cache<String, Integer> cache = cache(cluster.node(0));
      assertThatThrownBy(() -> cache.changes().withPrevious().changes().iterator().next())
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("previousValues");
    }
  }
}
