package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.store.HashSpace;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.infinispan.commons.util.IntSets;
import org.junit.jupiter.api.Test;

/** How a stream shares its credit, what it may be limited to, and how it ends. */
class StreamSharesTest {

  private final Collector<String> keysOnly = new Collector<>(Long.MAX_VALUE);
  private final Collector<Map.Entry<String, String>> all = new Collector<>(Long.MAX_VALUE);

  @Test
  void aBatchOfOneHoldsOneEntryAtMost() {
    SyntheticCluster cluster = new SyntheticCluster(13, 4, 16, 2);
    cluster.fill(200);
    cluster.stream().batchSize(1).entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster);
    assertThat(cluster.mostEntries).isEqualTo(1);
  }

  @Test
  void keysWithOneHashAreReadOneAfterTheOtherInBatchesOfOne() {
    HashSpace sameHash = new HashSpace(4, (key, offset, length) -> 42);
    SyntheticCluster cluster = new SyntheticCluster(new Random(14), 2, 2, sameHash);
    cluster.fill(60);
    cluster.stream().batchSize(1).entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster);
  }

  @Test
  void anEntryLargerThanItsShareTravelsAlone() {
    SyntheticCluster cluster = new SyntheticCluster(15, 4, 16, 1);
    cluster.fill(200);
    cluster.put("large", "x".repeat(5000));
    cluster.put("larger", "y".repeat(9000));
    cluster.stream().batchSize(40).batchBytes(2000).entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster);
    assertThat(cluster.mostBytes).isLessThanOrEqualTo(2000);
    assertThat(cluster.sent.stream().filter(s -> s.request().alone()).count())
        .as("one each, and one more each to find out that the next entry is small again")
        .isBetween(2L, 4L);
  }

  @Test
  void atMostSoManyNodesAreAskedAtOnceAndTheyShareTheBatchSize() {
    SyntheticCluster cluster = new SyntheticCluster(16, 6, 24, 1);
    cluster.fill(1000);
    cluster.localAtOnce = false;
    cluster.stream().batchSize(80).parallelism(4).entries().subscribe(all);
    cluster.execute(() -> {});
    while (cluster.sent.isEmpty()) {
      cluster.step();
    }
    assertThat(cluster.sent).hasSize(4).allMatch(s -> s.request().maxEntries() == 10);
    cluster.settle();
    assertEverythingOnce(cluster);
  }

  @Test
  void theLastNodesShareGrowsWhenTheOthersHaveFinished() {
    SyntheticCluster cluster = new SyntheticCluster(17, 2, 4, 1);
    for (int i = 0; i < 2000; i++) {
      if (cluster.segmentOf("key-" + i) % 2 == 1 || i % 50 == 0) {
        cluster.put("key-" + i, "v");
      }
    }
    cluster.stream().batchSize(80).entries().subscribe(all);
    cluster.settle();
    assertThat(cluster.sent.get(cluster.sent.size() - 1).request().maxEntries()).isEqualTo(40);
    assertEverythingOnce(cluster);
  }

  @Test
  void thisNodeIsAskedForWhatItOwns() {
    SyntheticCluster cluster = new SyntheticCluster(18, 3, 9, 2);
    cluster.fill(90);
    cluster.stream().entries().subscribe(all);
    cluster.settle();
    for (SyntheticCluster.Sent sent : cluster.sent) {
      for (int segment : sent.request().segments()) {
        boolean ours = cluster.view().owner(segment, 0).equals(cluster.self());
        ours |= cluster.view().owner(segment, 1).equals(cluster.self());
        assertThat(sent.node().equals(cluster.self())).isEqualTo(ours);
      }
    }
  }

  @Test
  void aSegmentIsCompletedAfterItsLastEntryAndAskedForNoMore() {
    SyntheticCluster cluster = new SyntheticCluster(19, 2, 8, 1);
    cluster.fill(400);
    List<String> order = new ArrayList<>();
    Collector<Map.Entry<String, String>> noting =
        new Collector<>(Long.MAX_VALUE) {
          @Override
          public void onNext(Map.Entry<String, String> next) {
            super.onNext(next);
            order.add("entry of " + cluster.segmentOf(next.getKey()));
          }
        };
    cluster.stream()
        .batchSize(16)
        .listener(
            new StreamListener() {
              @Override
              public void segmentCompleted(int segment) {
                order.add("end of " + segment);
              }
            })
        .entries()
        .subscribe(noting);
    cluster.settle();
    for (int s = 0; s < 8; s++) {
      assertThat(order).containsOnlyOnce("end of " + s);
      assertThat(order.lastIndexOf("entry of " + s)).isLessThan(order.indexOf("end of " + s));
    }
  }

  @Test
  void aCancelThatRacesTheLastBatchGivesEveryBufferBack() {
    for (int steps = 0; steps < 60; steps++) {
      SyntheticCluster cluster = new SyntheticCluster(20, 3, 9, 2);
      cluster.fill(300);
      Collector<Map.Entry<String, String>> some = new Collector<>(steps * 5L);
      cluster.stream().batchSize(50).entries().subscribe(some);
      for (int i = 0; i < steps; i++) {
        cluster.step();
      }
      some.subscription.cancel();
      cluster.step();
      int received = some.received.size();
      some.subscription.request(10);
      cluster.settle();
      assertThat(some.received).as("signals after the cancel").hasSize(received);
      assertThat(cluster.buffersOut).isZero();
      assertThat(cluster.inFlightEntries).isZero();
    }
  }

  @Test
  void theOwnNodesEndEndsTheStream() {
    SyntheticCluster cluster = new SyntheticCluster(21, 2, 4, 1);
    cluster.fill(10);
    StreamEnvironment open = cluster.environment();
    StreamEnvironment closed =
        new StreamEnvironment(
            cluster,
            (node, request, handler) -> handler.failed(new NodeClosedException("closed")),
            cluster,
            cluster,
            open.hashSpace(),
            open.clusterIdentity(),
            open.nodeName());
    StreamPlan.over(
            closed,
            new dev.headrace.api.CacheSettings<>(
                "quotes",
                dev.headrace.api.codec.Codecs.string(),
                dev.headrace.api.codec.Codecs.string()),
            0)
        .entries()
        .subscribe(all);
    cluster.settle();
    assertThat(all.errors).hasSize(1).allMatch(NodeClosedException.class::isInstance);
  }

  @Test
  void aTokenOfEveryConsumedBatchStandsForExactlyTheRest() {
    SyntheticCluster cluster = new SyntheticCluster(22, 3, 9, 2);
    cluster.fill(500);
    Map<Integer, String> tokens = new java.util.TreeMap<>();
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
    cluster.stream().segments(IntSets.from(Set.of(2, 7))).entries().subscribe(all);
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
    assertThat(read).hasSize(10_000).isSubsetOf(keys);
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
    assertThat(keysOnly.received).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(cluster.sent)
        .allSatisfy(
            sent -> {
              byte[][] asked = sent.request().keys();
              long bytes = java.util.Arrays.stream(asked).mapToLong(key -> key.length).sum();
              assertThat(asked.length == 1 || bytes <= KeySelection.MAX_CHUNK_BYTES).isTrue();
            });
    assertThat(cluster.sent).hasSizeGreaterThan(8);
  }

  @Test
  void emptyThingsComplete() {
    SyntheticCluster empty = new SyntheticCluster(25, 2, 4, 1);
    complete(empty, empty.stream().entries());
    complete(empty, empty.stream().keys(Set.of()).entries());
    complete(empty, empty.stream().segments(IntSets.immutableEmptySet()).entries());
    SyntheticCluster unfounded = new SyntheticCluster(26, 1, 4, 1);
    for (int s = 0; s < 4; s++) {
      unfounded.own(s);
    }
    unfounded.publish();
    complete(unfounded, unfounded.stream().entries());
    assertThat(unfounded.sent).isEmpty();
  }

  private static void complete(
      SyntheticCluster cluster,
      dev.headrace.api.stream.StreamPublisher<Map.Entry<String, String>> publisher) {
    Collector<Map.Entry<String, String>> collector = new Collector<>(1);
    publisher.subscribe(collector);
    cluster.settle();
    assertThat(collector.completions).isEqualTo(1);
    assertThat(collector.errors).isEmpty();
  }

  private void assertEverythingOnce(SyntheticCluster cluster) {
    assertThat(all.errors).isEmpty();
    assertThat(all.completions).isEqualTo(1);
    List<String> keys = all.received.stream().map(Map.Entry::getKey).toList();
    assertThat(keys).doesNotHaveDuplicates();
    assertThat(keys).containsExactlyInAnyOrderElementsOf(cluster.content.keySet());
    all.received.forEach(e -> assertThat(e.getValue()).isEqualTo(cluster.content.get(e.getKey())));
    assertThat(cluster.buffersOut).isZero();
  }
}
