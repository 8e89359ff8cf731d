package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.FunctionFailedException;
import dev.headrace.api.error.FunctionMissingException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Functions that real nodes know by name. */
@Timeout(240)
class FunctionsOnNodesTest {
  private static final int ENTRIES = 2_000;
  private static final Codec<Integer> NUMBER = Codecs.of(Integer.class);
  private static final Codec<String> TEXT = Codecs.string();

  private static final FunctionName<Integer, Boolean> MULTIPLE =
      FunctionName.of("multiple", NUMBER, Codecs.of(Boolean.class));
  private static final FunctionName<String, String> SHOWN = FunctionName.of("shown", TEXT, TEXT);
  private static final FunctionName<Integer, Integer> DIVISORS =
      FunctionName.of("divisors", NUMBER, NUMBER);
  private static final FunctionName<Integer, Integer> GREATEST =
      FunctionName.of("greatest", NUMBER, NUMBER);
  private static final FunctionName<Integer, Total> TOTAL =
      FunctionName.of("total", NUMBER, Codecs.record(Total.class));

  /** A state. */
  public record Total(int entries, long sum) {
    private Total plus(Total other) {
      return new Total(entries + other.entries, sum + other.sum);
    }
  }

  private final Set<String> threads = ConcurrentHashMap.newKeySet();

  private NodeFunctions<Integer, String> functions() {
    return NodeFunctions.over(NUMBER, TEXT)
        .filter(MULTIPLE, (key, value, of) -> key % of == 0)
        .map(
            SHOWN,
            (key, value, by) -> {
              threads.add(Thread.currentThread().getName());
              return key + by + value;
            })
        .flatMap(DIVISORS, (key, value, most) -> divisors(key, most))
        .reduce(GREATEST, (key, value, of) -> key % of == 0 ? key : null, Math::max)
        .collect(
            TOTAL,
            () -> new Total(0, 0),
            (total, key, value, of) -> key % of == 0 ? total.plus(new Total(1, key)) : total);
  }

  private static NodeSettings.Builder patient(NodeSettings.Builder settings) {
    return settings.operationTimeout(Duration.ofMinutes(2));
  }

  private static List<Integer> divisors(int number, int most) {
    return IntStream.rangeClosed(1, most).filter(n -> number % n == 0).boxed().toList();
  }

  private static Cache<Integer, String> filled(Headrace node) {
    Cache<Integer, String> cache = node.cache("numbers", Integer.class, String.class);
    Map<Integer, String> content = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      content.put(i, "number " + i);
    }
    cache.putAll(content);
    return cache;
  }

  private static <T> List<T> all(CloseableIterator<T> iterator) {
    List<T> all = new ArrayList<>();
    try (iterator) {
      iterator.forEachRemaining(all::add);
    }
    return all;
  }

  @Test
  void nodesRunThemOnThreadsOfTheirOwnWhileOneOfThemDies() {
    try (NodeCluster cluster =
        NodeCluster.of(3, settings -> patient(settings).functions(functions()))) {
      // A node that holds nothing calls what it does not know itself.
      Headrace client = cluster.start(settings -> patient(settings).capacity(0));
      Cache<Integer, String> cache = filled(client);
      assertThat(all(cache.stream().map(SHOWN, "=").iterator()))
          .hasSize(ENTRIES)
          .contains("17=number 17");
      assertThat(threads).isNotEmpty().allMatch(name -> name.contains("-functions-"));
      Set<Integer> sevens = new HashSet<>();
      cache.stream().filter(MULTIPLE, 7).keys().toFlowable().blockingForEach(sevens::add);
      assertThat(sevens).hasSize((ENTRIES + 6) / 7).allMatch(key -> key % 7 == 0);
      assertThat(cache.stream().filter(MULTIPLE, 7).count().get()).isEqualTo(sevens.size());

      Map<Integer, Long> expected = new TreeMap<>();
      for (int i = 0; i < ENTRIES; i++) {
        divisors(i, 9).forEach(n -> expected.merge(n, 1L, Long::sum));
      }
      Map<Integer, Long> counted = new TreeMap<>();
      boolean[] killed = {false};
      cache.stream()
          .batchSize(200)
          .flatMap(DIVISORS, 9)
          .toFlowable()
          .blockingForEach(
              n -> {
                counted.merge(n, 1L, Long::sum);
                if (!killed[0]) {
                  killed[0] = true;
                  cluster.node(2).kill();
                }
              });
      assertThat(counted).isEqualTo(expected);
      assertThat(cache.stream().reduce(GREATEST, 11, Math::max).get())
          .contains((ENTRIES - 1) / 11 * 11);
      assertThat(
              cache.stream()
                  .collect(TOTAL, 5, () -> new Total(0, 0), Total::plus, total -> total)
                  .toSingle()
                  .blockingGet())
          .isEqualTo(
              new Total(
                  ENTRIES / 5,
                  IntStream.range(0, ENTRIES).filter(i -> i % 5 == 0).asLongStream().sum()));
    }
  }

  @Test
  void aNodeThatDoesNotKnowAFunctionIsNamed() {
    try (NodeCluster cluster =
        NodeCluster.of(1, settings -> patient(settings).functions(functions()))) {
      cluster.start(settings -> patient(settings).nodeName("newcomer"));
      Cache<Integer, String> cache = filled(cluster.node(1));
      Quotes.await(
          () ->
              cluster.node(1).status().members().stream()
                  .anyMatch(node -> node.self() && node.primarySegments() > 0));
      assertThatThrownBy(() -> all(cache.stream().map(SHOWN, "=").iterator()))
          .isInstanceOfSatisfying(
              FunctionMissingException.class,
              missing -> assertThat(missing.node()).isEqualTo("newcomer"))
          .hasMessageContaining("register it there with NodeSettings.builder().functions(...)");
      assertThat(all(cache.stream().keys().iterator())).hasSize(ENTRIES);
    }
  }

  @Test
  void aFunctionThatThrowsOrBlocksDisturbsNobodyElse() throws Exception {
    FunctionName<Integer, String> unlucky = FunctionName.of("unlucky", NUMBER, TEXT);
    FunctionName<String, String> blocking = FunctionName.of("blocking", TEXT, TEXT);
    CountDownLatch released = new CountDownLatch(1);
    NodeFunctions<Integer, String> bad =
        NodeFunctions.over(NUMBER, TEXT)
            .map(unlucky, (key, value, number) -> value.substring(key.equals(number) ? 1000 : 0))
            .map(blocking, (key, value, argument) -> awaited(released, value));
    try (NodeCluster cluster =
        NodeCluster.of(2, settings -> patient(settings).functions(functions()).functions(bad))) {
      Cache<Integer, String> cache = filled(cluster.node(0));
      List<Future<List<String>>> held = Collections.synchronizedList(new ArrayList<>());
      for (int i = 0; i < 100; i++) {
        held.add(cache.stream().map(blocking, "").toFlowable().toList().toFuture());
      }
      assertThat(all(cache.stream().entries().iterator())).hasSize(ENTRIES);
      assertThat(cache.stream().count().get()).isEqualTo(ENTRIES);
      cache.put(-1, "a write");
      cache.remove(-1);
      released.countDown();
      for (Future<List<String>> each : held) {
        assertThat(each.get()).hasSize(ENTRIES);
      }
      assertThatThrownBy(() -> all(cache.stream().map(unlucky, 1471).iterator()))
          .isInstanceOfSatisfying(
              FunctionFailedException.class,
              failed -> {
                assertThat(failed.call().key()).isEqualTo("1471");
                assertThat(failed.call().node())
                    .isIn(
                        cluster.node(0).status().members().stream()
                            .map(ClusterStatus.Member::name)
                            .toList());
                assertThat(failed.resumeToken()).isNotEmpty();
              })
          .hasMessageContaining("StringIndexOutOfBoundsException");
      assertThat(all(cache.stream().map(unlucky, -5).iterator())).hasSize(ENTRIES);
    }
  }

  @Test
  void theEndOfANodeEndsItsStreamsThoughTheirFunctionsBlock() throws Exception {
    FunctionName<String, String> blocking = FunctionName.of("blocking", TEXT, TEXT);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    NodeFunctions<Integer, String> bad =
        NodeFunctions.over(NUMBER, TEXT)
            .map(
                blocking,
                (key, value, argument) -> {
                  begun.countDown();
                  try {
                    return awaited(new CountDownLatch(1), value);
                  } catch (IllegalStateException e) {
                    interrupted.countDown();
                    throw e;
                  }
                });
    try (NodeCluster cluster = NodeCluster.of(1, settings -> patient(settings).functions(bad))) {
      Cache<Integer, String> cache = filled(cluster.node(0));
      List<Future<List<String>>> held = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        held.add(cache.stream().map(blocking, "").toFlowable().toList().toFuture());
      }
      begun.await();
      cluster.node(0).close();
      for (Future<List<String>> each : held) {
        // A stream may hear first that nobody owns its segments any more: there is no other node.
        assertThatThrownBy(() -> each.get(1, TimeUnit.MINUTES))
            .cause()
            .isInstanceOfAny(NodeClosedException.class, StreamInterruptedException.class);
      }
      interrupted.await();
    }
  }

  private static String awaited(CountDownLatch released, String value) {
    try {
      released.await();
      return value;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
