package dev.headrace.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.spring.cache.CachePlan.CacheOptions;
import dev.headrace.spring.codec.AllowedClasses;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.cache.Cache;
import org.springframework.cache.Cache.ValueRetrievalException;
import org.springframework.cache.Cache.ValueWrapper;

/** The operations of Spring's caches on a real node. */
final class SpringCacheTest {
  private static Headrace node;
  private static SpringCaches caches;

  /** What is cached. */
  record Quote(String symbol, double price) {}

  @BeforeAll
  static void start() {
    node =
        Headrace.start(
            NodeSettings.builder()
                .clusterName("test-" + UUID.randomUUID())
                .operationTimeout(Duration.ofMinutes(1))
                .build());
    caches =
        new SpringCaches(
            node,
            new CachePlan(
                Map.of("declared", CacheSettings.of("declared", String.class, Quote.class)),
                Map.of(
                    "quotes", new CacheOptions(String.class, Quote.class, null, true),
                    "strict", new CacheOptions(String.class, Quote.class, null, false),
                    "brief", new CacheOptions(null, null, Duration.ofMillis(50), true)),
                Duration.ofHours(1),
                new AllowedClasses(List.of(), SpringCacheTest.class.getClassLoader())));
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @BeforeEach
  void empty() {
    caches.resetCaches();
  }

  private static Cache quotes() {
    return caches.getCache("quotes");
  }

  @Test
  void whatIsPutIsFoundAndWhatIsEvictedIsNot() {
    Quote quote = new Quote("ACME", 42.17);
    assertThat(quotes().get("ACME")).isNull();
    quotes().put("ACME", quote);
    assertThat(quotes().get("ACME").get()).isEqualTo(quote);
    assertThat(quotes().get("ACME", Quote.class)).isEqualTo(quote);
    assertThatThrownBy(() -> quotes().get("ACME", String.class))
        .isInstanceOf(IllegalStateException.class);
    assertThat(quotes().evictIfPresent("ACME")).isTrue();
    assertThat(quotes().evictIfPresent("ACME")).isFalse();
    quotes().put("ACME", quote);
    quotes().evict("ACME");
    assertThat(quotes().get("ACME")).isNull();
    quotes().put("ACME", quote);
    quotes().clear();
    assertThat(quotes().get("ACME")).isNull();
  }

  @Test
  void nullIsAValueWhereItMayBe() {
    quotes().put("NONE", null);
    assertThat(quotes().get("NONE")).isNotNull().extracting(ValueWrapper::get).isNull();
    assertThat(quotes().get("NONE", () -> new Quote("NONE", 1))).isNull();
    assertThat(quotes().putIfAbsent("NONE", new Quote("NONE", 1)).get()).isNull();
    Cache strict = caches.getCache("strict");
    assertThatThrownBy(() -> strict.put("NONE", null)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void otherProgramsReadWhatIsCached() {
    quotes().put("ACME", new Quote("ACME", 1));
    caches.getCache("strict").put("ACME", new Quote("ACME", 2));
    assertThat(
            node.cache(
                    new CacheSettings<>(
                        "quotes", Codecs.string(), Codecs.optional(Codecs.of(Quote.class))))
                .get("ACME"))
        .isEqualTo(Optional.of(new Quote("ACME", 1)));
    assertThat(node.cache("strict", String.class, Quote.class).get("ACME").price()).isEqualTo(2);
  }

  @Test
  void aDeclaredCacheIsOpenedAsItIs() {
    caches.getCache("declared").put("ACME", new Quote("ACME", 3));
    assertThat(node.cache("declared", String.class, Quote.class).get("ACME").price()).isEqualTo(3);
  }

  @Test
  void putIfAbsentTellsWhatIsThere() {
    assertThat(quotes().putIfAbsent("ACME", new Quote("ACME", 1))).isNull();
    assertThat(quotes().putIfAbsent("ACME", new Quote("ACME", 2)).get())
        .isEqualTo(new Quote("ACME", 1));
  }

  @Test
  void entriesStayAsLongAsTheirCacheSays() {
    Cache brief = caches.getCache("brief");
    brief.put("key", "value");
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (brief.get("key") != null) {
      assertThat(System.nanoTime() - deadlineNanos).isNegative();
      Thread.onSpinWait();
    }
    quotes().put("ACME", null);
    dev.headrace.api.Cache<?, ?> opened = (dev.headrace.api.Cache<?, ?>) quotes().getNativeCache();
    assertThat(opened.name()).isEqualTo("quotes");
    assertThat(expires(quotes(), "ACME")).isTrue();
  }

  private static boolean expires(Cache cache, Object key) {
    return ((SpringCache) cache).getNativeCache().getEntry(key).expiry() != null;
  }

  @Test
  void aMissingValueIsLoadedOnceByMany() throws Exception {
    AtomicInteger loads = new AtomicInteger();
    ExecutorService users = Executors.newFixedThreadPool(8);
    try {
      CountDownLatch all = new CountDownLatch(8);
      List<Future<Quote>> found = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        found.add(
            users.submit(
                () -> {
                  all.countDown();
                  all.await();
                  return quotes()
                      .get(
                          "ACME",
                          () -> {
                            loads.incrementAndGet();
                            return new Quote("ACME", 7);
                          });
                }));
      }
      for (Future<Quote> each : found) {
        assertThat(each.get(60, TimeUnit.SECONDS)).isEqualTo(new Quote("ACME", 7));
      }
    } finally {
      users.shutdownNow();
    }
    assertThat(loads).hasValue(1);
  }

  @Test
  void aLoaderThatFailsIsToldAndTriedAgain() {
    assertThatThrownBy(
            () ->
                quotes()
                    .get(
                        "ACME",
                        () -> {
                          throw new IOException("no table");
                        }))
        .isInstanceOf(ValueRetrievalException.class)
        .hasRootCauseMessage("no table");
    assertThat(quotes().get("ACME", () -> new Quote("ACME", 8)).price()).isEqualTo(8);
  }

  @Test
  void aLoaderThatAsksForItsOwnKeyIsStopped() {
    assertThatThrownBy(
            () -> quotes().get("ACME", () -> quotes().get("ACME", () -> new Quote("ACME", 9))))
        .isInstanceOf(ValueRetrievalException.class)
        .rootCause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("asks for the same key");
  }

  @Test
  void valuesAreRetrievedWithoutWaiting() throws Exception {
    assertThat(quotes().retrieve("ACME").get(60, TimeUnit.SECONDS)).isNull();
    quotes().put("NONE", null);
    Object wrapped = quotes().retrieve("NONE").get(60, TimeUnit.SECONDS);
    assertThat(((ValueWrapper) wrapped).get()).isNull();

    AtomicInteger loads = new AtomicInteger();
    List<CompletableFuture<Quote>> found = new ArrayList<>();
    CompletableFuture<Quote> table = new CompletableFuture<>();
    for (int i = 0; i < 8; i++) {
      found.add(
          quotes()
              .retrieve(
                  "ACME",
                  () -> {
                    loads.incrementAndGet();
                    return table;
                  }));
    }
    table.complete(new Quote("ACME", 10));
    for (CompletableFuture<Quote> each : found) {
      assertThat(each.get(60, TimeUnit.SECONDS).price()).isEqualTo(10);
    }
    assertThat(loads).hasValue(1);
    assertThat(quotes().get("ACME", Quote.class).price()).isEqualTo(10);
  }

  @Test
  void aRetrievalThatFailsIsToldAndTriedAgain() throws Exception {
    CompletableFuture<Quote> failed =
        quotes()
            .retrieve("ACME", () -> CompletableFuture.failedFuture(new IOException("no table")));
    assertThatThrownBy(() -> failed.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("no table");
    CompletableFuture<Quote> thrown =
        quotes()
            .retrieve(
                "ACME",
                () -> {
                  throw new IllegalStateException("not yet");
                });
    assertThatThrownBy(() -> thrown.get(60, TimeUnit.SECONDS)).hasRootCauseMessage("not yet");
    assertThat(
            quotes()
                .retrieve("ACME", () -> CompletableFuture.completedFuture(new Quote("ACME", 11)))
                .get(60, TimeUnit.SECONDS)
                .price())
        .isEqualTo(11);
  }

  @Test
  void whatIsPutDuringALoadStays() throws Exception {
    Quote older = new Quote("ACME", 12);
    Quote newer = new Quote("ACME", 13);
    Quote found =
        quotes()
            .get(
                "ACME",
                () -> {
                  quotes().put("ACME", newer);
                  return older;
                });
    assertThat(found).isEqualTo(newer);
    assertThat(quotes().get("ACME", Quote.class)).isEqualTo(newer);

    quotes().evict("ACME");
    CompletableFuture<Quote> retrieved =
        quotes()
            .retrieve(
                "ACME",
                () -> {
                  quotes().put("ACME", newer);
                  return CompletableFuture.completedFuture(older);
                });
    assertThat(retrieved.get(60, TimeUnit.SECONDS)).isEqualTo(newer);
    assertThat(quotes().get("ACME", Quote.class)).isEqualTo(newer);
  }

  static Stream<Consumer<Cache>> removals() {
    return Stream.of(
        cache -> cache.evict("ACME"), cache -> cache.evictIfPresent("ACME"), Cache::clear);
  }

  @ParameterizedTest
  @MethodSource("removals")
  void aRemovalDuringALoadIsNotUndone(Consumer<Cache> removal) throws Exception {
    Quote older = new Quote("ACME", 14);
    Quote found =
        quotes()
            .get(
                "ACME",
                () -> {
                  removal.accept(quotes());
                  return older;
                });
    assertThat(found).isEqualTo(older);
    assertThat(quotes().get("ACME")).isNull();

    CompletableFuture<Quote> retrieved =
        quotes()
            .retrieve(
                "ACME",
                () -> {
                  removal.accept(quotes());
                  return CompletableFuture.completedFuture(older);
                });
    assertThat(retrieved.get(60, TimeUnit.SECONDS)).isEqualTo(older);
    assertThat(quotes().get("ACME")).isNull();
  }

  @Test
  void afterARemovalAValueIsLoadedAnew() throws Exception {
    CompletableFuture<Quote> table = new CompletableFuture<>();
    CompletableFuture<Quote> older = quotes().retrieve("ACME", () -> table);
    quotes().evict("ACME");
    assertThat(quotes().get("ACME", () -> new Quote("ACME", 16)).price()).isEqualTo(16);
    table.complete(new Quote("ACME", 15));
    assertThat(older.get(60, TimeUnit.SECONDS).symbol()).isEqualTo("ACME");
    assertThat(quotes().get("ACME", Quote.class).price()).isEqualTo(16);
  }

  private static Cache impatient() {
    return new SpringCache(((SpringCache) quotes()).getNativeCache(), true, Duration.ofMillis(20));
  }

  @Test
  @Timeout(60)
  void aLoadThatDoesNotEndIsNotWaitedForWithoutEnd() throws Exception {
    Cache impatient = impatient();
    CompletableFuture<Quote> table = new CompletableFuture<>();
    CompletableFuture<Quote> first = impatient.retrieve("ACME", () -> table);
    CompletableFuture<Quote> second = impatient.retrieve("ACME", () -> table);
    assertThatThrownBy(() -> impatient.get("ACME", () -> new Quote("ACME", 17)))
        .isInstanceOf(ValueRetrievalException.class)
        .hasStackTraceContaining("let loaders compute values without the cache");
    assertThatThrownBy(() -> second.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ValueRetrievalException.class)
        .hasStackTraceContaining("let loaders compute values without the cache");
    assertThat(first).isNotDone();
    table.complete(new Quote("ACME", 18));
    assertThat(first.get(60, TimeUnit.SECONDS).price()).isEqualTo(18);
  }

  @Test
  @Timeout(60)
  void aRetrievalWhoseLoaderAsksForItsOwnKeyEnds() {
    Cache impatient = impatient();
    CompletableFuture<Quote> found =
        impatient.retrieve(
            "ACME",
            () -> {
              Quote own = impatient.get("ACME", () -> new Quote("ACME", 19));
              return CompletableFuture.completedFuture(own);
            });
    assertThatThrownBy(() -> found.get(60, TimeUnit.SECONDS))
        .hasStackTraceContaining("Another caller has been loading key ACME");
  }

  @Test
  @Timeout(60)
  void loadersThatWantEachOthersKeysEnd() throws Exception {
    Cache impatient = impatient();
    CountDownLatch both = new CountDownLatch(2);
    ExecutorService users = Executors.newFixedThreadPool(2);
    List<ExecutionException> failures = new ArrayList<>();
    try {
      Future<Quote> one = users.submit(() -> crossing(impatient, both, "ACME", "EMCA"));
      Future<Quote> other = users.submit(() -> crossing(impatient, both, "EMCA", "ACME"));
      for (Future<Quote> each : List.of(one, other)) {
        try {
          assertThat(each.get(60, TimeUnit.SECONDS).price()).isEqualTo(20);
        } catch (ExecutionException e) { // one at least; the other may come after that
          failures.add(e);
        }
      }
    } finally {
      users.shutdownNow();
    }
    assertThat(failures).isNotEmpty();
    assertThat(failures.get(0)).hasStackTraceContaining("Another caller has been loading key");
  }

  private static Quote crossing(Cache cache, CountDownLatch both, String key, String wanted) {
    return cache.get(
        key,
        () -> {
          both.countDown();
          both.await();
          return cache.get(wanted, () -> new Quote(wanted, 20));
        });
  }

  @Test
  void wrongTypesAreToldWithTheProperty() {
    assertThatThrownBy(() -> quotes().get(5L))
        .isInstanceOf(ClassCastException.class)
        .hasMessageContaining("headrace.caches.quotes.key-type");
    assertThatThrownBy(() -> quotes().put("ACME", "text"))
        .isInstanceOf(ClassCastException.class)
        .hasMessageContaining("headrace.caches.quotes.value-type");
    assertThatThrownBy(() -> caches.getCache("untyped").put("key", new Quote("ACME", 1)))
        .isInstanceOf(ClassCastException.class)
        .hasMessageContaining("headrace.caches.untyped.value-type");
    assertThatThrownBy(() -> quotes().retrieve(5L).get()).isInstanceOf(ClassCastException.class);
  }

  @Test
  void namesAreThoseThatAreKnownOrWereAskedFor() {
    caches.getCache("another").put("key", 1);
    assertThat(caches.getCacheNames()).contains("another", "brief", "declared", "quotes", "strict");
    assertThat(caches.getCache("another")).isSameAs(caches.getCache("another"));
  }
}
