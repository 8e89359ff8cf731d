package dev.headrace.stream.pull;

import static dev.headrace.api.stream.operator.Expressions.key;
import static dev.headrace.api.stream.operator.Expressions.value;
import static dev.headrace.stream.pull.Completeness.assertSameElements;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.ContentPublisher;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.api.stream.StreamSignal;
import dev.headrace.api.stream.TokenedElement;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.stream.entry.HashSpace;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** A token behind any element stands for exactly what did not come before it. */
class TokenedElementsTest {

  private static final int SEEDS = Integer.getInteger("headrace.seeds", 300);
  private static final FunctionName<String, String> KEY_AND =
      FunctionName.of("key-and", Codecs.string(), Codecs.string());
  private static final NodeFunctions<String, String> KNOWN =
      NodeFunctions.over(Codecs.string(), Codecs.string())
          .map(KEY_AND, (key, value, sign) -> sign + key);

  @Test
  void aStreamGoesOnBehindAnyElement() {
    for (long seed = 0; seed < SEEDS; seed++) {
      try {
        new Run(seed).go();
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  /** The ways to see the keys: entries, keys, values that are equal to them, and what is made. */
  private static <T> Function<CacheStream<String, String>, ContentPublisher<T>> way(
      Function<CacheStream<String, String>, ContentPublisher<T>> way) {
    return way;
  }

  private static final class Run {
    private final Random random;
    private final SyntheticCluster cluster;
    private final Set<String> expiring = new HashSet<>();
    private final CacheStream<String, String> stream;
    private int entries;

    Run(long seed) {
      random = new Random(seed * 0x9E3779B97F4A7C15L);
      int segments = 1 + random.nextInt(6);
      int collisions = random.nextBoolean() ? 1 : 40;
      HashSpace real = new HashSpace(segments, seed);
      HashSpace space =
          collisions == 1
              ? real
              : new HashSpace(
                  segments,
                  (key, offset, length) ->
                      Long.MAX_VALUE / 7 * (real.hash(key, offset, length) >>> 58));
      cluster = new SyntheticCluster(random, 3, 2, space);
      cluster.functions = StreamFunctionsTest.knowing(KNOWN);
      cluster.maxDelayNanos = random.nextInt(3) * 1_000_000L;
      int batch = 2 + random.nextInt(random.nextBoolean() ? 6 : 200);
      stream = cluster.stream().batchSize(batch).batchBytes(300 + random.nextInt(5000));
    }

    void go() {
      entries = random.nextInt(120);
      boolean expiry = random.nextBoolean();
      for (int i = 0; i < entries; i++) {
        boolean expires = expiry && random.nextInt(3) == 0;
        String key = "key-" + i;
        cluster.put(key, key, expires ? cluster.clusterMillis + 1000 : 0);
        if (expires) {
          expiring.add(key);
        }
      }
      switch (random.nextInt(6)) {
        case 0 -> check(way(CacheStream::keys), key -> key);
        case 1 -> check(way(CacheStream::values), value -> value);
        case 2 -> check(way(all -> all.map(value(), String.class)), value -> value);
        case 3 -> check(way(all -> all.map(KEY_AND, "!")), text -> text.substring(1));
        case 4 -> check(way(all -> all.select(key(), value())), row -> (String) row.get("key"));
        default -> check(way(CacheStream::entries), Map.Entry::getKey);
      }
    }

    private <T> void check(
        Function<CacheStream<String, String>, ContentPublisher<T>> way, Function<T, String> key) {
      Collector<TokenedElement<T>> all = new Collector<>(0);
      way.apply(stream).withTokens().subscribe(all);
      int pause = random.nextInt(entries + 1);
      if (pause > 0) {
        all.subscription.request(pause);
      }
      cluster.settle();
      disturb();
      all.subscription.request(Long.MAX_VALUE);
      cluster.settle();
      assertThat(all.errors).isEmpty();
      assertThat(all.completions).isEqualTo(1);
      List<String> before = new ArrayList<>();
      expectWhole(before, List.of());
      if (all.received.isEmpty()) {
        return;
      }
      for (TokenedElement<T> element : all.received) {
        before.add(key.apply(element.element()));
        if (random.nextInt(8) == 0) {
          Collector<T> rest = new Collector<>(Long.MAX_VALUE);
          way.apply(stream.resumeFrom(element.token())).subscribe(rest);
          cluster.settle();
          assertThat(rest.errors).isEmpty();
          expectWhole(before, rest.received.stream().map(key).toList());
        }
      }
      expectWhole(before, List.of());
    }

    /** What expires does so; some of it was renewed before; segments move. */
    private void disturb() {
      for (String key : List.copyOf(expiring)) {
        if (random.nextBoolean()) {
          cluster.put(key, key);
          expiring.remove(key);
        }
      }
      cluster.clusterMillis += 2000;
      if (random.nextBoolean()) {
        int crashed = 1 + random.nextInt(2);
        cluster.crash(crashed);
        cluster.removeDead();
        cluster.publish();
      }
    }

    private void expectWhole(List<String> before, List<String> rest) {
      if (before.isEmpty() && rest.isEmpty()) {
        return;
      }
      List<String> both = new ArrayList<>(before);
      both.addAll(rest);
      assertThat(both).doesNotHaveDuplicates();
      Set<String> stable = new HashSet<>(cluster.content.keySet());
      stable.removeAll(expiring);
      stable.removeAll(Set.copyOf(both));
      assertThat(stable).as("missed").isEmpty();
    }
  }

  @Test
  void aTokenMayBeMadeWhenTheStreamHasGoneOn() {
    SyntheticCluster cluster = new SyntheticCluster(3, 2, 8, 1);
    cluster.fill(500);
    Collector<TokenedElement<String>> some = new Collector<>(123);
    cluster.stream().batchSize(40).keys().withTokens().subscribe(some);
    cluster.settle();
    some.subscription.cancel();
    cluster.settle();
    assertThat(cluster.buffersOut).isZero();
    for (int handed : List.of(1, 40, 122, 123)) {
      Collector<String> rest = new Collector<>(Long.MAX_VALUE);
      cluster.stream().resumeFrom(some.received.get(handed - 1).token()).keys().subscribe(rest);
      cluster.settle();
      Set<String> seen = new HashSet<>(rest.received);
      assertThat(rest.received).hasSize(500 - handed);
      some.received.subList(0, handed).forEach(element -> seen.add(element.element()));
      assertThat(seen).isEqualTo(cluster.content.keySet());
    }
  }

  @Test
  void anIteratorHasTokensToo() {
    SyntheticCluster cluster = new SyntheticCluster(3, 2, 8, 1);
    cluster.maxDelayNanos = 0;
    cluster.fill(100);
    Set<String> seen = new HashSet<>();
    String token = "";
    try (var all = cluster.stream().batchSize(9).values().withTokens().iterator()) {
      for (int i = 0; i < 30; i++) {
        TokenedElement<String> next = all.next();
        seen.add(next.element());
        token = next.token();
      }
    }
    try (var rest = cluster.stream().resumeFrom(token).values().iterator()) {
      rest.forEachRemaining(value -> assertThat(seen.add(value)).isTrue());
    }
    assertThat(seen).hasSize(100);
  }

  @Test
  void theEndsOfSegmentsComeBehindTheirLastElements() {
    SyntheticCluster cluster = new SyntheticCluster(3, 2, 8, 1);
    cluster.fill(60);
    Collector<StreamSignal<TokenedElement<String>>> all = new Collector<>(0);
    cluster.stream().batchSize(7).keys().withTokens().signals().subscribe(all);
    while (!all.isTerminated()) {
      all.subscription.request(1);
      cluster.settle();
    }
    Set<Integer> completed = new HashSet<>();
    Set<String> seen = new HashSet<>();
    for (StreamSignal<TokenedElement<String>> signal : all.received) {
      if (signal instanceof StreamSignal.Element<TokenedElement<String>> element) {
        String key = element.element().element();
        assertThat(seen.add(key)).isTrue();
        assertThat(completed).doesNotContain(cluster.segmentOf(key));
      } else if (signal instanceof StreamSignal.SegmentCompleted<?> end) {
        assertThat(completed.add(end.segment())).isTrue();
      }
    }
    assertThat(seen).isEqualTo(cluster.content.keySet());
    assertThat(completed).hasSize(8);
    assertThat(all.completions).isEqualTo(1);
  }

  @Test
  void theEndsOfSegmentsOfChosenKeysAreToldOnceAlsoWhenTheStreamGoesOn() {
    SyntheticCluster cluster = new SyntheticCluster(3, 2, 8, 1);
    cluster.fill(60);
    Set<String> chosen = Set.of("key-1", "key-2", "key-3", "key-5", "key-8", "key-13", "absent");
    CacheStream<String, String> stream = cluster.stream().batchSize(3).keys(chosen);
    Collector<StreamSignal<TokenedElement<String>>> all = new Collector<>(Long.MAX_VALUE);
    stream.keys().withTokens().signals().subscribe(all);
    cluster.settle();
    Set<Integer> segments = new HashSet<>();
    chosen.forEach(key -> segments.add(cluster.segmentOf(key)));
    List<Integer> told = new ArrayList<>();
    int elements = 0;
    for (StreamSignal<TokenedElement<String>> signal : all.received) {
      if (signal instanceof StreamSignal.SegmentCompleted<?> end) {
        told.add(end.segment());
      } else if (signal instanceof StreamSignal.Element<TokenedElement<String>> element) {
        elements++;
        List<Integer> both = new ArrayList<>(told);
        both.addAll(endsBehind(cluster, stream, element.element().token()));
        assertSameElements(both, segments);
      }
    }
    assertThat(elements).isEqualTo(6);
  }

  private static List<Integer> endsBehind(
      SyntheticCluster cluster, CacheStream<String, String> stream, String token) {
    CacheStream<String, String> rest = stream.resumeFrom(token);
    Collector<StreamSignal<String>> signals = new Collector<>(Long.MAX_VALUE);
    rest.keys().signals().subscribe(signals);
    List<Collector<String>> rails = new ArrayList<>();
    List<Integer> ofRails = new ArrayList<>();
    StreamListener listener =
        new StreamListener() {
          @Override
          public void segmentCompleted(int segment) {
            ofRails.add(segment);
          }
        };
    for (StreamPublisher<String> rail : rest.listener(listener).keys().rails(2)) {
      Collector<String> collector = new Collector<>(Long.MAX_VALUE);
      rail.subscribe(collector);
      rails.add(collector);
    }
    cluster.settle();
    assertThat(signals.completions).isEqualTo(1);
    rails.forEach(rail -> assertThat(rail.completions).isEqualTo(1));
    List<Integer> ends = new ArrayList<>();
    for (StreamSignal<String> signal : signals.received) {
      if (signal instanceof StreamSignal.SegmentCompleted<?> end) {
        ends.add(end.segment());
      }
    }
    assertSameElements(ofRails, ends);
    return ends;
  }

  @Test
  void aSegmentThatCannotBeReadIsLost() {
    SyntheticCluster cluster = new SyntheticCluster(3, 2, 8, 1);
    cluster.fill(60);
    cluster.crash(1);
    cluster.removeDead();
    cluster.publish();
    Collector<StreamSignal<String>> all = new Collector<>(Long.MAX_VALUE);
    cluster.stream().delivery(Delivery.AT_MOST_ONCE).keys().signals().subscribe(all);
    cluster.settle();
    List<Integer> lost = new ArrayList<>();
    List<Integer> completed = new ArrayList<>();
    for (StreamSignal<String> signal : all.received) {
      if (signal instanceof StreamSignal.SegmentLost<?> end) {
        lost.add(end.segment());
      } else if (signal instanceof StreamSignal.SegmentCompleted<?> end) {
        completed.add(end.segment());
      }
    }
    assertThat(lost).containsExactlyInAnyOrder(1, 3, 5, 7);
    assertThat(completed).containsExactlyInAnyOrder(0, 2, 4, 6);
    assertThat(all.completions).isEqualTo(1);
  }
}
