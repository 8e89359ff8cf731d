package dev.headrace.stream.pull;

import static dev.headrace.api.stream.operator.Expressions.key;
import static dev.headrace.api.stream.operator.Expressions.value;
import static dev.headrace.stream.pull.Completeness.assertSameElements;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.FunctionFailedException;
import dev.headrace.api.error.FunctionMissingException;
import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.error.StreamDeadlineException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.TokenedElement;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.api.stream.operator.Reduction;
import dev.headrace.stream.function.FunctionTable;
import dev.headrace.stream.plan.StreamPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;

/** Functions that nodes know by name, over several nodes in one thread. */
class StreamFunctionsTest {

  private static final int SEEDS = Integer.getInteger("headrace.seeds", 200);
  private static final Codec<String> TEXT = Codecs.string();
  private static final Codec<Integer> NUMBER = Codecs.of(Integer.class);

  private static final FunctionName<String, Boolean> ENDS_WITH =
      FunctionName.of("endsWith", TEXT, Codecs.of(Boolean.class));
  private static final FunctionName<String, String> JOINED = FunctionName.of("joined", TEXT, TEXT);
  private static final FunctionName<Integer, String> REPEATED =
      FunctionName.of("repeated", NUMBER, TEXT);
  private static final FunctionName<String, Integer> LONGEST =
      FunctionName.of("longest", TEXT, NUMBER);
  private static final FunctionName<String, String> NAMES = FunctionName.of("names", TEXT, TEXT);

  private static final NodeFunctions<String, String> KNOWN =
      NodeFunctions.over(TEXT, TEXT)
          .filter(ENDS_WITH, (key, value, suffix) -> key.endsWith(suffix))
          .map(JOINED, (key, value, by) -> by.isEmpty() ? null : key + by + value)
          .flatMap(REPEATED, (key, value, most) -> repeated(key, most))
          .reduce(LONGEST, (key, value, prefix) -> length(key, prefix), Math::max)
          .collect(NAMES, () -> "", (names, key, value, separator) -> names + separator + key);

  private static List<String> repeated(String key, int most) {
    int times = Math.floorMod(key.hashCode(), most + 1);
    return IntStream.range(0, times).mapToObj(i -> key + "#" + i).toList();
  }

  private static Integer length(String key, String prefix) {
    return key.startsWith(prefix) ? key.length() : null;
  }

  /** What a node knows that was started with some functions. */
  static FunctionTable knowing(NodeFunctions<?, ?> functions) {
    return new FunctionTable("one", List.of(functions), (keys, values) -> 0, () -> 10_000, () -> 0);
  }

  private static SyntheticCluster cluster(long seed, int nodes, int segments, int replicas) {
    SyntheticCluster cluster = new SyntheticCluster(seed, nodes, segments, replicas);
    cluster.functions = knowing(KNOWN);
    return cluster;
  }

  private static <T> T result(SyntheticCluster cluster, Reduction<T> reduction) {
    CompletableFuture<T> future = reduction.toCompletionStage();
    cluster.settle();
    assertThat(future).isDone();
    return future.join();
  }

  private static <T> List<T> read(SyntheticCluster cluster, Publisher<T> publisher) {
    Collector<T> collector = new Collector<>(Long.MAX_VALUE);
    publisher.subscribe(collector);
    cluster.settle();
    assertThat(collector.errors).isEmpty();
    assertThat(collector.completions).isEqualTo(1);
    return collector.received;
  }

  private static Throwable failure(SyntheticCluster cluster, Publisher<?> publisher) {
    Collector<Object> collector = new Collector<>(Long.MAX_VALUE);
    publisher.subscribe(collector);
    cluster.settle();
    assertThat(collector.errors).hasSize(1);
    assertThat(cluster.buffersOut).isZero();
    return collector.errors.get(0);
  }

  @Test
  void theNodesCallFunctionsByTheirNames() {
    SyntheticCluster cluster = cluster(1, 3, 8, 2);
    cluster.fill(300);
    CacheStream<String, String> stream = cluster.stream().batchSize(50);
    assertThat(read(cluster, stream.map(JOINED, "=")))
        .hasSize(300)
        .contains("key-7=value-7", "key-299=value-299");
    assertThat(read(cluster, stream.map(JOINED, ""))).isEmpty();
    assertThat(read(cluster, stream.filter(ENDS_WITH, "7").keys()))
        .hasSize(30)
        .allMatch(key -> key.endsWith("7"));
    CacheStream<String, String> few =
        stream.filter(key().startsWith("key-1")).filter(ENDS_WITH, "7").filter(ENDS_WITH, "17");
    assertThat(read(cluster, few.values())).containsExactlyInAnyOrder("value-17", "value-117");
    assertThat(read(cluster, few.entries())).hasSize(2);
    assertThat(read(cluster, few.select(value()))).hasSize(2);
    assertThat(read(cluster, few.map(value(), String.class))).contains("value-117");
    assertThat(read(cluster, stream.keys(Set.of("key-17", "key-18")).map(JOINED, ":")))
        .containsExactlyInAnyOrder("key-17:value-17", "key-18:value-18");
    assertThat(result(cluster, few.count())).isEqualTo(2);
    assertThat(result(cluster, few.groupBy(key(), String.class).count())).hasSize(2);
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void theResultsOfAnEntryComeOneAfterTheOther() {
    SyntheticCluster cluster = cluster(2, 2, 4, 1);
    cluster.maxDelayNanos = 0;
    cluster.fill(200);
    Set<String> expected = new TreeSet<>();
    cluster.content.keySet().forEach(key -> expected.addAll(repeated(key, 5)));
    CacheStream<String, String> stream = cluster.stream().batchSize(20);
    Collector<String> slow = new Collector<>(0);
    stream.flatMap(REPEATED, 5).subscribe(slow);
    while (!slow.isTerminated()) {
      slow.subscription.request(1 + slow.received.size() % 3);
      cluster.settle();
      assertThat(cluster.bufferedEntries).isLessThanOrEqualTo(20);
    }
    assertThat(slow.errors).isEmpty();
    assertSameElements(slow.received, expected);
    List<String> iterated = new ArrayList<>();
    try (CloseableIterator<String> all = stream.flatMap(REPEATED, 5).iterator()) {
      all.forEachRemaining(iterated::add);
    }
    assertSameElements(iterated, expected);
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void aStreamThatHasNoMoreTimeHandsOverTheResultsOfItsEntryFirst() {
    SyntheticCluster cluster = cluster(3, 2, 4, 1);
    cluster.fill(100);
    CacheStream<String, String> stream = cluster.stream().batchSize(10);
    Collector<String> slow = new Collector<>(0);
    stream.deadline(Duration.ofSeconds(5)).flatMap(REPEATED, 9).subscribe(slow);
    slow.subscription.request(31);
    cluster.advanceNanos(6_000_000_000L);
    slow.subscription.request(100);
    cluster.settle();
    assertThat(slow.errors).hasSize(1);
    assertThat(slow.received).hasSizeBetween(31, 40);
    String token = ((StreamDeadlineException) slow.errors.get(0)).resumeToken();
    List<String> both = new ArrayList<>(slow.received);
    both.addAll(read(cluster, stream.resumeFrom(token).flatMap(REPEATED, 9)));
    List<String> expected = new ArrayList<>();
    cluster.content.keySet().forEach(key -> expected.addAll(repeated(key, 9)));
    assertSameElements(both, expected);
  }

  @Test
  void reductionsAreThoseOfTheContent() {
    SyntheticCluster cluster = cluster(4, 3, 8, 2);
    cluster.fill(1000);
    CacheStream<String, String> stream = cluster.stream();
    assertThat(result(cluster, stream.reduce(LONGEST, "key", Math::max))).contains(7);
    assertThat(result(cluster, stream.reduce(LONGEST, "other", Math::max))).isEmpty();
    for (int batchBytes : List.of(1, 100, 5000, 1 << 20)) {
      assertThat(result(cluster, names(stream.batchBytes(batchBytes))))
          .as("with " + batchBytes)
          .isEqualTo(cluster.content.keySet());
    }
    assertThat(cluster.buffersOut).isZero();
  }

  /** All keys, by a state that grows with each entry; fails if one comes twice. */
  private static Reduction<Set<String>> names(CacheStream<String, String> stream) {
    return stream.collect(
        NAMES,
        ",",
        () -> "",
        (one, other) -> one + other,
        names -> {
          Set<String> all = new TreeSet<>();
          for (String name : names.substring(Math.min(1, names.length())).split(",", -1)) {
            assertThat(all.add(name)).isTrue();
          }
          return all;
        });
  }

  @Test
  void aFunctionThatANodeDoesNotKnowIsATypedError() {
    SyntheticCluster cluster = cluster(5, 2, 4, 1);
    cluster.fill(20);
    FunctionName<String, String> unknown = FunctionName.of("unknown", TEXT, TEXT);
    assertThat(failure(cluster, cluster.stream().map(unknown, "")))
        .isInstanceOfSatisfying(
            FunctionMissingException.class,
            missing -> {
              assertThat(missing.function()).isEqualTo("unknown");
              assertThat(missing.node()).isEqualTo("one");
            })
        .hasMessageContaining("NodeSettings.builder().functions(...)")
        .hasMessageContaining("[endsWith, joined, longest, names, repeated]");
    assertThat(failure(cluster, cluster.stream().flatMap(JOINED, "")))
        .isInstanceOf(FunctionMissingException.class)
        .hasMessageContaining("for map, and not for flatMap");
    FunctionName<String, Integer> other = FunctionName.of("joined", TEXT, NUMBER);
    assertThat(failure(cluster, cluster.stream().map(other, "")))
        .isInstanceOf(FunctionMissingException.class)
        .hasMessageContaining("these codecs");
    assertThat(read(cluster, cluster.stream().map(JOINED, "="))).hasSize(20);
  }

  @Test
  void aFunctionThatThrowsEndsItsStreamWithKeyAndNodeAndTheRestCanBeResumed() {
    SyntheticCluster cluster = cluster(6, 3, 8, 1);
    cluster.fill(200);
    FunctionName<String, String> failing = FunctionName.of("failing", TEXT, TEXT);
    NodeFunctions<String, String> broken =
        NodeFunctions.over(TEXT, TEXT)
            .map(
                failing,
                (key, value, argument) -> {
                  if (key.equals("key-77")) {
                    throw new IllegalStateException("no " + argument);
                  }
                  return key;
                });
    cluster.functions = knowing(broken);
    Collector<String> collector = new Collector<>(Long.MAX_VALUE);
    CacheStream<String, String> stream = cluster.stream().batchSize(16);
    stream.map(failing, "luck").subscribe(collector);
    cluster.settle();
    FunctionFailedException failed = (FunctionFailedException) collector.errors.get(0);
    assertThat(failed.call())
        .isEqualTo(new FunctionFailedException.Call("failing", "one", "key-77"));
    assertThat(failed).hasMessageContaining("IllegalStateException: no luck (at dev.headrace");
    assertThat(collector.received).doesNotContain("key-77");
    cluster.functions =
        knowing(NodeFunctions.over(TEXT, TEXT).map(failing, (key, value, argument) -> key));
    List<String> both = new ArrayList<>(collector.received);
    both.addAll(read(cluster, stream.resumeFrom(failed.resumeToken()).map(failing, "luck")));
    assertSameElements(both, cluster.content.keySet());
    cluster.functions = knowing(broken);
    CompletableFuture<?> unlucky =
        stream
            .collect(
                FunctionName.of("failing", TEXT, TEXT), "", () -> "", String::concat, all -> all)
            .toCompletionStage();
    cluster.settle();
    assertThat(unlucky).isCompletedExceptionally();
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void resultsBeyondTheLimitAreATypedError() {
    SyntheticCluster cluster = cluster(7, 2, 4, 1);
    cluster.fill(20);
    FunctionName<Integer, String> endless = FunctionName.of("endless", NUMBER, TEXT);
    FunctionName<Integer, String> large = FunctionName.of("large", NUMBER, TEXT);
    cluster.functions =
        knowing(
            NodeFunctions.over(TEXT, TEXT)
                .flatMap(
                    endless,
                    (key, value, n) -> () -> java.util.stream.Stream.generate(() -> key).iterator())
                .collect(large, () -> "", (state, key, value, n) -> state + "x".repeat(n)));
    assertThat(failure(cluster, cluster.stream().flatMap(endless, 0)))
        .isInstanceOf(FunctionFailedException.class)
        .hasMessageContaining("10000 are the limit (maxEntryBytes)");
    Reduction<Integer> lengths =
        cluster.stream().collect(large, 900, () -> "", String::concat, String::length);
    assertThat(result(cluster, lengths)).isEqualTo(20 * 900);
    CompletableFuture<?> tooLarge =
        cluster.stream()
            .batchBytes(5000)
            .collect(large, 10_001, () -> "", String::concat, String::length)
            .toCompletionStage();
    cluster.settle();
    assertThatThrownBy(tooLarge::join)
        .hasCauseInstanceOf(FunctionFailedException.class)
        .hasMessageContaining("the state of one entry");
  }

  @Test
  void aTokenIsRefusedWithOtherOperators() {
    SyntheticCluster cluster = cluster(8, 2, 4, 1);
    cluster.fill(100);
    CacheStream<String, String> stream = cluster.stream().filter(key().startsWith("key-1"));
    String token = someToken(cluster, stream);
    for (CacheStream<String, String> other :
        List.of(
            cluster.stream(),
            cluster.stream().filter(key().startsWith("key-2")),
            stream.filter(ENDS_WITH, "7"))) {
      assertThat(failure(cluster, other.resumeFrom(token).keys()))
          .isInstanceOf(ResumeTokenException.class)
          .hasMessageContaining("other filters, selections or functions");
    }
    assertThat(read(cluster, stream.resumeFrom(token).values())).hasSize(10);
    String ofFunction = someToken(cluster, cluster.stream().filter(ENDS_WITH, "7"));
    CacheStream<String, String> otherArgument =
        cluster.stream().filter(ENDS_WITH, "8").resumeFrom(ofFunction);
    assertThat(failure(cluster, otherArgument.keys())).isInstanceOf(ResumeTokenException.class);
  }

  private static String someToken(SyntheticCluster cluster, CacheStream<String, String> stream) {
    Collector<TokenedElement<String>> one = new Collector<>(1);
    stream.keys().withTokens().subscribe(one);
    cluster.settle();
    one.subscription.cancel();
    cluster.settle();
    return one.received.get(0).token();
  }

  @Test
  void aReductionThatHasNoMoreTimeHasNoToken() {
    SyntheticCluster cluster = cluster(9, 2, 4, 1);
    cluster.fill(100);
    cluster.nodes.get(1).silent = true;
    CompletableFuture<Long> count =
        cluster.stream().deadline(Duration.ofSeconds(5)).count().toCompletionStage();
    cluster.advanceNanos(6_000_000_000L);
    assertThatThrownBy(count::join)
        .cause()
        .isInstanceOfSatisfying(
            StreamDeadlineException.class, late -> assertThat(late.resumeToken()).isNull())
        .hasMessageContaining("begin it anew");
  }

  @Test
  void whatExpiredOnItsWayIsAskedAboutAgain() {
    SyntheticCluster cluster = cluster(10, 2, 3, 1);
    for (int i = 0; i < 100; i++) {
      cluster.put("key-" + i, "v", cluster.clusterMillis + 1000);
    }
    Collector<String> joined = new Collector<>(1);
    Collector<String> chosen = new Collector<>(1);
    cluster.stream().map(JOINED, "=").subscribe(joined);
    cluster.stream().filter(ENDS_WITH, "3").keys().subscribe(chosen);
    cluster.settle();
    cluster.put("key-2", "anew");
    cluster.put("key-3", "anew");
    cluster.clusterMillis += 1000;
    joined.subscription.request(Long.MAX_VALUE);
    chosen.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(joined.completions).isEqualTo(1);
    assertThat(chosen.completions).isEqualTo(1);
    assertThat(joined.received).hasSizeBetween(2, 3).containsAnyOf("key-2=anew", "key-3=anew");
    assertThat(chosen.received).contains("key-3").allMatch(key -> key.endsWith("3"));
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void aFunctionThatTakesItsTimeAnswersInParts() {
    SyntheticCluster cluster = cluster(11, 1, 1, 1);
    cluster.fill(50);
    long[] nanos = {0};
    cluster.functions =
        new FunctionTable(
            "one",
            List.of(
                NodeFunctions.over(TEXT, TEXT)
                    .map(
                        JOINED,
                        (key, value, by) -> {
                          nanos[0] += 4_000_000;
                          return key;
                        })),
            (keys, values) -> 0,
            () -> 10_000,
            () -> nanos[0]);
    assertThat(read(cluster, cluster.stream().map(JOINED, "="))).hasSize(50);
    assertThat(cluster.sent).hasSizeBetween(17, 19);
  }

  @Test
  void theNodesCheckForWhichEntriesAFunctionIs() {
    SyntheticCluster cluster = cluster(12, 1, 1, 1);
    cluster.fill(3);
    cluster.functions =
        new FunctionTable("one", List.of(KNOWN), (keys, values) -> 77, () -> 10_000, () -> 0);
    CacheStream<String, String> stream =
        StreamPlan.over(
            cluster.environment(), new CacheSettings<>(SyntheticCluster.CACHE, TEXT, TEXT), 78);
    assertThat(failure(cluster, stream.map(JOINED, "=")))
        .isInstanceOf(FunctionMissingException.class)
        .hasMessageContaining("but those of the cache are others");
  }

  @Test
  void resultsCountOnceWhateverHappensToTheNodes() {
    for (long seed = 0; seed < SEEDS; seed++) {
      try {
        runDisturbed(seed);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static void runDisturbed(long seed) {
    Random random = new Random(seed);
    SyntheticCluster cluster = cluster(random.nextLong(), 3, 1 + random.nextInt(12), 2);
    cluster.maxDelayNanos = 1L << random.nextInt(24);
    cluster.failuresPerMille = random.nextInt(200);
    cluster.localAtOnce = random.nextBoolean();
    cluster.fill(random.nextInt(1500));
    CacheStream<String, String> stream =
        cluster.stream()
            .batchSize(1 + random.nextInt(200))
            .batchBytes(50 + random.nextInt(4000))
            .parallelism(1 + random.nextInt(4));
    CompletableFuture<Optional<Integer>> longest =
        stream.reduce(LONGEST, "key-1", Math::max).toCompletionStage();
    CompletableFuture<Set<String>> names = names(stream.filter(ENDS_WITH, "3")).toCompletionStage();
    Collector<String> results = new Collector<>(random.nextInt(300));
    Collector<String> chosen = new Collector<>(Long.MAX_VALUE);
    stream.flatMap(REPEATED, 4).subscribe(results);
    stream.filter(ENDS_WITH, "7").keys().subscribe(chosen);
    for (int i = random.nextInt(60); i > 0; i--) {
      cluster.step();
    }
    StreamOperatorsTest.disturb(cluster, random);
    results.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    Set<String> keys = cluster.content.keySet();
    List<String> expected = new ArrayList<>();
    keys.forEach(key -> expected.addAll(repeated(key, 4)));
    assertThat(results.errors).isEmpty();
    assertSameElements(results.received, expected);
    assertSameElements(chosen.received, keys.stream().filter(key -> key.endsWith("7")).toList());
    assertThat(longest.join())
        .isEqualTo(
            keys.stream()
                .filter(key -> key.startsWith("key-1"))
                .map(String::length)
                .max(Integer::compare));
    Set<String> named = new HashSet<>(names.join());
    named.remove("");
    assertThat(named)
        .isEqualTo(new HashSet<>(keys.stream().filter(key -> key.endsWith("3")).toList()));
    assertThat(cluster.buffersOut).isZero();
  }
}
