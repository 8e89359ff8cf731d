package dev.headrace.stream.pull;

import static dev.headrace.stream.pull.Completeness.assertSameElements;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.protocol.KeySelection;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class StreamSelectionTest {

  private final Collector<String> keysOnly = new Collector<>(Long.MAX_VALUE);
  private final Collector<Map.Entry<String, String>> all = new Collector<>(Long.MAX_VALUE);

  @Test
  void aTokenOfEveryConsumedBatchStandsForExactlyTheRest() {
    SyntheticCluster cluster = new SyntheticCluster(22, 3, 9, 2);
    cluster.fill(500);
    Map<Integer, String> tokens = new TreeMap<>();
    cluster.stream()
        .batchSize(40)
        .listener(
            new StreamListener() {
              @Override
              public void batchConsumed(Supplier<String> token) {
                tokens.put(all.received.size(), token.get());
              }
            })
        .entries()
        .subscribe(all);
    cluster.settle();
    assertThat(tokens.size()).isGreaterThan(10);
    tokens.forEach(
        (handedOver, token) -> {
          Collector<Map.Entry<String, String>> rest = new Collector<>(Long.MAX_VALUE);
          cluster.stream().resumeFrom(token).entries().subscribe(rest);
          cluster.settle();
          Set<String> keys = new HashSet<>();
          all.received.subList(0, handedOver).forEach(e -> keys.add(e.getKey()));
          rest.received.forEach(e -> assertThat(keys.add(e.getKey())).isTrue());
          assertThat(keys).isEqualTo(cluster.content.keySet());
        });
  }

  @Test
  void onlyTheChosenSegmentsAreRead() {
    SyntheticCluster cluster = new SyntheticCluster(23, 3, 9, 2);
    cluster.fill(500);
    cluster.stream().segments(Set.of(2, 7)).entries().subscribe(all);
    cluster.settle();
    assertThat(all.received).isNotEmpty();
    assertThat(all.received).allMatch(e -> Set.of(2, 7).contains(cluster.segmentOf(e.getKey())));
    assertThat(all.received)
        .hasSize(
            (int)
                cluster.content.keySet().stream()
                    .filter(k -> Set.of(2, 7).contains(cluster.segmentOf(k)))
                    .count());
  }

  @Test
  void onlyTheChosenKeysAreReadHoweverManyTheyAre() {
    HashSpace space = new HashSpace(2, 99);
    SyntheticCluster cluster = new SyntheticCluster(new Random(24), 2, 1, space);
    cluster.fill(12_000);
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      keys.add("key-" + i);
      keys.add("absent-" + i);
    }
    cluster.stream().keys(keys).batchSize(700).entries().subscribe(all);
    cluster.settle();
    assertThat(all.errors).isEmpty();
    assertThat(all.received).hasSize(10_000);
    assertThat(cluster.sent).allMatch(s -> s.request().keys().length <= 4096);
    Set<String> read = new HashSet<>();
    all.received.forEach(e -> read.add(e.getKey()));
    assertThat(read).hasSize(10_000);
    assertThat(keys.containsAll(read)).isTrue();
  }

  @Test
  void longKeysAreAskedForAFewAtATime() {
    SyntheticCluster cluster = new SyntheticCluster(new Random(25), 2, 1, new HashSpace(1, 99));
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < 40; i++) {
      keys.add(i + "-" + "k".repeat(100_000));
    }
    String longest = "k".repeat(600_000);
    keys.add(longest);
    keys.forEach(key -> cluster.put(key, "v"));
    cluster.stream().keys(keys).batchBytes(64 << 20).keys().subscribe(keysOnly);
    cluster.settle();
    assertThat(keysOnly.errors).isEmpty();
    assertSameElements(keysOnly.received, keys);
    assertThat(cluster.sent)
        .allSatisfy(
            sent -> {
              byte[][] asked = sent.request().keys();
              long bytes = Arrays.stream(asked).mapToLong(key -> key.length).sum();
              assertThat(asked.length == 1 || bytes <= KeySelection.MAX_CHUNK_BYTES).isTrue();
            });
    assertThat(cluster.sent).hasSizeGreaterThan(8);
  }

  @Test
  void emptyThingsComplete() {
    SyntheticCluster empty = new SyntheticCluster(25, 2, 4, 1);
    complete(empty, empty.stream().entries());
    complete(empty, empty.stream().keys(Set.of()).entries());
    complete(empty, empty.stream().segments(Set.of()).entries());
    SyntheticCluster unfounded = new SyntheticCluster(26, 1, 4, 1);
    for (int s = 0; s < 4; s++) {
      unfounded.own(s);
    }
    unfounded.written = false;
    unfounded.publish();
    complete(unfounded, unfounded.stream().entries());
    assertThat(unfounded.sent).isEmpty();
  }

  private static void complete(
      SyntheticCluster cluster, StreamPublisher<Map.Entry<String, String>> publisher) {
    Collector<Map.Entry<String, String>> collector = new Collector<>(1);
    publisher.subscribe(collector);
    cluster.settle();
    assertThat(collector.completions).isEqualTo(1);
    assertThat(collector.errors).isEmpty();
  }
}
