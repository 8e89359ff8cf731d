package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.protocol.KeySelection;
import dev.headrace.stream.protocol.Streams;
import dev.headrace.stream.store.ReplicaState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.infinispan.commons.util.IntSets;
import org.junit.jupiter.api.Test;

/** What a stream does when something goes wrong, one sentence each. */
class StreamFaultsTest {

  private static final long SECOND = 1_000_000_000L;

  private final Collector<String> keysOnly = new Collector<>(Long.MAX_VALUE);
  private final Collector<Map.Entry<String, String>> all = new Collector<>(Long.MAX_VALUE);

  @Test
  void anOwnerThatCrashesInTheMiddleOfABatchIsReplacedAtItsCursor() {
    SyntheticCluster cluster = new SyntheticCluster(1, 3, 12, 2);
    cluster.fill(2000);
    cluster.stream().batchSize(64).entries().subscribe(all);
    while (all.received.size() < 700) {
      cluster.step();
    }
    cluster.crash(1);
    cluster.settle();
    assertEverythingOnce(cluster);
  }

  @Test
  void aSegmentThatIsNotHeldIsPlannedAloneAndAtOnce() {
    SyntheticCluster cluster = new SyntheticCluster(2, 3, 9, 2);
    cluster.fill(900);
    cluster.node(cluster.view().owner(4, 0)).store.drop(4);
    cluster.stream().entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster);
    assertThat(cluster.sent.stream().filter(s -> contains(s.request().segments(), 4)).count())
        .isLessThanOrEqualTo(2);
  }

  @Test
  void aSegmentThatNobodyServesYetIsReadWhenTheTableChanges() {
    SyntheticCluster cluster = new SyntheticCluster(3, 3, 6, 1);
    cluster.fill(300);
    cluster.migrate(1, 1, 2);
    cluster.nodes.get(1).store.drop(1);
    cluster.own(1, 2);
    cluster.stream().entries().subscribe(all);
    cluster.advanceNanos(5_000_000);
    assertThat(all.isTerminated()).isFalse();
    int before = cluster.sent.size();
    cluster.publish();
    cluster.advanceNanos(2_000_000);
    assertThat(cluster.sent.size()).isEqualTo(before + 1);
    assertEverythingOnce(cluster);
  }

  @Test
  void aBrokenConnectionIsTriedAgainLaterWithoutANewTable() {
    SyntheticCluster cluster = new SyntheticCluster(4, 2, 6, 1);
    cluster.fill(300);
    cluster.nodes.get(1).alive = false;
    cluster.stream().entries().subscribe(all);
    cluster.advanceNanos(3 * SECOND);
    assertThat(all.isTerminated()).isFalse();
    assertThat(cluster.sent.size()).as("requests in three seconds").isBetween(8, 40);
    cluster.nodes.get(1).alive = true;
    cluster.settle();
    assertEverythingOnce(cluster);
  }

  @Test
  void aSegmentWithoutOwnersEndsAnExactlyOnceStreamAfterAllThatWasReceived() {
    SyntheticCluster cluster = new SyntheticCluster(5, 3, 9, 1);
    cluster.fill(900);
    Collector<Map.Entry<String, String>> slow = new Collector<>(1);
    cluster.stream().batchSize(120).entries().subscribe(slow);
    cluster.advanceNanos(SECOND / 10);
    cluster.crash(2);
    cluster.removeDead();
    cluster.publish();
    int buffered = cluster.bufferedEntries;
    slow.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(slow.received).hasSizeGreaterThanOrEqualTo(buffered);
    assertThat(slow.errors).hasSize(1);
    StreamInterruptedException failure = (StreamInterruptedException) slow.errors.get(0);
    assertThat(failure.segments()).containsExactly(2, 5, 8);
    assertThat(failure).hasMessageContaining("segment 2").hasMessageContaining("AT_MOST_ONCE");
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void anAtMostOnceStreamLeavesLostSegmentsOutAndSaysSo() {
    SyntheticCluster cluster = new SyntheticCluster(6, 3, 9, 1);
    cluster.fill(900);
    cluster.crash(2);
    cluster.removeDead();
    cluster.publish();
    Set<Integer> skipped = new HashSet<>();
    cluster.stream()
        .delivery(Delivery.AT_MOST_ONCE)
        .listener(
            new StreamListener() {
              @Override
              public void segmentSkipped(int segment) {
                skipped.add(segment);
              }
            })
        .entries()
        .subscribe(all);
    cluster.settle();
    assertThat(all.completions).isEqualTo(1);
    assertThat(skipped).containsExactlyInAnyOrder(2, 5, 8);
    assertThat(all.received)
        .hasSize(
            (int)
                cluster.content.keySet().stream()
                    .filter(key -> !skipped.contains(cluster.segmentOf(key)))
                    .count());
  }

  @Test
  void aSegmentThatWasLostAndBegunAnewIsNotTakenForTheOldOne() {
    SyntheticCluster cluster = new SyntheticCluster(7, 3, 9, 1);
    cluster.fill(900);
    Collector<Map.Entry<String, String>> slow = new Collector<>(1);
    cluster.stream().batchSize(9).entries().subscribe(slow);
    cluster.advanceNanos(SECOND / 10);
    cluster.raiseIncarnation(8);
    cluster.nodes.get(0).store.open(8, 1, ReplicaState.OWNER);
    cluster.own(8, 0);
    cluster.publish();
    slow.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    StreamInterruptedException failure = (StreamInterruptedException) slow.errors.get(0);
    assertThat(failure.segments()).containsExactly(8);
    assertThat(failure).hasMessageContaining("begun anew");
  }

  @Test
  void aSegmentThatCannotBeReadForTooLongEndsTheStream() {
    SyntheticCluster cluster = new SyntheticCluster(8, 2, 4, 1);
    cluster.fill(100);
    cluster.nodes.get(1).alive = false;
    cluster.stream().entries().subscribe(all);
    cluster.advanceNanos(Streams.STALL_LIMIT_NANOS / 2);
    assertThat(all.isTerminated()).isFalse();
    cluster.advanceNanos(Streams.STALL_LIMIT_NANOS);
    StreamInterruptedException failure = (StreamInterruptedException) all.errors.get(0);
    assertThat(failure).hasMessageContaining("60 s").hasRootCauseMessage(connectionEnded(1));
    assertThat(failure.segments()).isSubsetOf(1, 3);
  }

  private static String connectionEnded(int node) {
    return "the connection to " + new dev.headrace.stream.NodeId(7, node) + " ended";
  }

  @Test
  void aNodeThatLeftTheTableIsNotWaitedForAndItsCreditReturnsWithItsConnection() {
    SyntheticCluster cluster = new SyntheticCluster(9, 3, 9, 2);
    cluster.fill(900);
    cluster.nodes.get(1).silent = true;
    cluster.stream().batchSize(60).entries().subscribe(all);
    cluster.advanceNanos(SECOND / 2);
    assertThat(all.isTerminated()).isFalse();
    cluster.crash(1);
    cluster.removeDead();
    cluster.publish();
    cluster.settle();
    assertEverythingOnce(cluster);
    assertThat(cluster.mostEntries).isLessThanOrEqualTo(60);
  }

  @Test
  void aSlowNodeDoesNotHoldBackTheCreditOfTheOthers() {
    SyntheticCluster cluster = new SyntheticCluster(10, 3, 9, 1);
    cluster.fill(900);
    cluster.nodes.get(1).silent = true;
    cluster.stream().batchSize(90).entries().subscribe(all);
    cluster.advanceNanos(SECOND);
    long ofOthers =
        cluster.content.keySet().stream().filter(k -> cluster.segmentOf(k) % 3 != 1).count();
    assertThat(all.received).hasSize((int) ofOthers);
  }

  @Test
  void aConsumerMayStallForAnHourWhileOwnershipChanges() {
    SyntheticCluster cluster = new SyntheticCluster(11, 3, 9, 2);
    cluster.fill(900);
    Collector<Map.Entry<String, String>> slow = new Collector<>(5);
    cluster.stream().batchSize(60).entries().subscribe(slow);
    for (int minute = 0; minute < 60; minute++) {
      cluster.advanceNanos(60 * SECOND);
      int segment = minute % 9;
      int[] owners = cluster.ownersOf(segment);
      int to = 3 - owners[0] - owners[1];
      cluster.migrate(segment, owners[0], to);
      cluster.nodes.get(owners[0]).store.drop(segment);
      cluster.own(segment, to, owners[1]);
      cluster.publish();
    }
    int requestsBefore = cluster.sent.size();
    assertThat(requestsBefore).as("requests while nobody pulls").isLessThan(10);
    assertThat(cluster.bufferedEntries).isLessThanOrEqualTo(60);
    slow.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(slow.received).hasSize(900);
    assertThat(slow.completions).isEqualTo(1);
  }

  @Test
  void theTableMayGrowWhileAScanIsInsideIt() {
    SyntheticCluster cluster = new SyntheticCluster(12, 1, 1, 1);
    cluster.fill(50);
    Collector<Map.Entry<String, String>> slow = new Collector<>(1);
    cluster.stream().batchSize(2).entries().subscribe(slow);
    int added = 0;
    while (!slow.isTerminated()) {
      for (int i = 0; i < 40; i++) {
        cluster.put("more-" + added++, "x");
      }
      slow.subscription.request(5);
      cluster.settle();
      assertThat(added).isLessThan(200_000);
      if (slow.received.size() > 5_000) {
        slow.subscription.request(Long.MAX_VALUE);
      }
    }
    Set<String> keys = new HashSet<>();
    slow.received.forEach(entry -> assertThat(keys.add(entry.getKey())).isTrue());
    for (int i = 0; i < 50; i++) {
      assertThat(keys).contains("key-" + i);
    }
  }

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

  private static boolean contains(int[] segments, int segment) {
    for (int s : segments) {
      if (s == segment) {
        return true;
      }
    }
    return false;
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
