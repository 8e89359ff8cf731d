package dev.headrace.stream.pull;

import static dev.headrace.stream.pull.Completeness.assertSameElements;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.stream.function.FunctionTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several results of an entry, and what is told of a stream of them. */
class FlattenedTest {

  private static final Codec<String> TEXT = Codecs.string();
  private static final FunctionName<String, String> THRICE = FunctionName.of("thrice", TEXT, TEXT);

  private final SyntheticCluster cluster = new SyntheticCluster(1, 2, 4, 1);
  private final List<String> expected = new ArrayList<>();
  private final List<Told> told = new ArrayList<>();

  /** What a listener was told, and how many results had been handed over by then. */
  private record Told(int results, String token) {}

  private static List<String> thrice(String key) {
    return List.of(key + "#1", key + "#2", key + "#3");
  }

  @BeforeEach
  void fill() {
    NodeFunctions<String, String> known =
        NodeFunctions.over(TEXT, TEXT).flatMap(THRICE, (key, value, argument) -> thrice(key));
    cluster.functions =
        new FunctionTable("one", List.of(known), (keys, values) -> 0, () -> 10_000, () -> 0);
    cluster.maxDelayNanos = 0;
    cluster.fill(60);
    cluster.content.keySet().forEach(key -> expected.addAll(thrice(key)));
  }

  private CacheStream<String, String> stream() {
    return cluster.stream().batchSize(7);
  }

  /** Checks what it is told about segments, and keeps the tokens. */
  private StreamListener listener(Supplier<List<String>> received) {
    return new StreamListener() {
      @Override
      public void segmentCompleted(int segment) {
        List<String> ofSegment = new ArrayList<>();
        cluster.content.keySet().stream()
            .filter(key -> cluster.segmentOf(key) == segment)
            .forEach(key -> ofSegment.addAll(thrice(key)));
        assertThat(received.get()).containsAll(ofSegment);
      }

      @Override
      public void batchConsumed(Supplier<String> token) {
        told.add(new Told(received.get().size(), token.get()));
      }
    };
  }

  private void assertTokensStandBehindWhatWasHandedOver(List<String> received) {
    assertSameElements(received, expected);
    assertThat(told).hasSizeGreaterThan(8);
    for (Told each : told) {
      List<String> both = new ArrayList<>(received.subList(0, each.results));
      Collector<String> rest = new Collector<>(Long.MAX_VALUE);
      stream().resumeFrom(each.token).flatMap(THRICE, "").subscribe(rest);
      cluster.settle();
      both.addAll(rest.received);
      assertSameElements(both, expected);
    }
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void aTokenStandsBehindResultsThatWereHandedOver() {
    Collector<String> slow = new Collector<>(0);
    stream().listener(listener(() -> slow.received)).flatMap(THRICE, "").subscribe(slow);
    while (!slow.isTerminated()) {
      slow.subscription.request(1);
      cluster.settle();
    }
    assertThat(slow.errors).isEmpty();
    assertTokensStandBehindWhatWasHandedOver(slow.received);
  }

  @Test
  void aTokenStandsBehindResultsThatAnIteratorGave() {
    List<String> given = new ArrayList<>();
    try (CloseableIterator<String> all =
        stream().listener(listener(() -> given)).flatMap(THRICE, "").iterator()) {
      all.forEachRemaining(given::add);
    }
    assertTokensStandBehindWhatWasHandedOver(given);
  }

  @Test
  void anExecutorThatFailsEndsTheStream() {
    boolean[] broken = {false};
    Executor executor =
        task -> {
          if (broken[0]) {
            throw new IllegalStateException("broken");
          }
          task.run();
        };
    Collector<String> results = new Collector<>(2);
    stream().executor(executor).flatMap(THRICE, "").subscribe(results);
    assertThat(results.received).hasSize(2);
    broken[0] = true;
    results.subscription.request(1);
    assertThat(results.received).hasSize(2);
    assertThat(results.errors)
        .singleElement()
        .isInstanceOf(HeadraceException.class)
        .asString()
        .contains("refused to run it (java.lang.IllegalStateException: broken)");
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void resultsThatWaitBeyondTheirEntrysExpiryAreNotBegun() {
    cluster.content.keySet().forEach(key -> cluster.put(key, "v", cluster.clusterMillis + 1000));
    Collector<String> slow = new Collector<>(2);
    stream().flatMap(THRICE, "").subscribe(slow);
    cluster.settle();
    cluster.clusterMillis += 1000;
    slow.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(slow.completions).isEqualTo(1);
    assertThat(slow.received).hasSize(3);
  }
}
