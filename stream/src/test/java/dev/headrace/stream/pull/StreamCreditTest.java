package dev.headrace.stream.pull;

import static dev.headrace.stream.pull.Completeness.assertEverythingOnce;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.entry.HashSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamCreditTest {

  private final Collector<Map.Entry<String, String>> all = new Collector<>(Long.MAX_VALUE);

  @Test
  void aBatchOfOneHoldsOneEntryAtMost() {
    SyntheticCluster cluster = new SyntheticCluster(13, 4, 16, 2);
    cluster.fill(200);
    cluster.stream().batchSize(1).entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster, all);
    assertThat(cluster.mostEntries).isEqualTo(1);
  }

  @Test
  void keysWithOneHashAreReadOneAfterTheOtherInBatchesOfOne() {
    HashSpace sameHash = new HashSpace(4, (key, offset, length) -> 42);
    SyntheticCluster cluster = new SyntheticCluster(new Random(14), 2, 2, sameHash);
    cluster.fill(60);
    cluster.stream().batchSize(1).entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster, all);
  }

  @Test
  void anEntryLargerThanItsShareTravelsAlone() {
    SyntheticCluster cluster = new SyntheticCluster(15, 4, 16, 1);
    cluster.fill(200);
    cluster.put("large", "x".repeat(5000));
    cluster.put("larger", "y".repeat(9000));
    cluster.stream().batchSize(40).batchBytes(2000).entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster, all);
    assertThat(cluster.mostBytes).isLessThanOrEqualTo(2000);
    assertThat(cluster.sent.stream().filter(s -> s.request().alone()).count())
        .as("one each, and one more each to find out that the next entry is small again")
        .isBetween(2L, 4L);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void smallEntriesAndThoseLargerThanAShareKeepWithinTheBudgetTogether(int seed) {
    SyntheticCluster cluster = new SyntheticCluster(500 + seed, 6, 48, 2);
    cluster.fill(600);
    Random random = new Random(seed);
    for (int i = 0; i < 120; i++) {
      int longest = i % 10 == 0 ? 9_000 : 1_500; // of a budget with shares of 500
      cluster.put("large-" + i, "x".repeat(random.nextInt(longest)));
    }
    cluster.stream().batchSize(80).batchBytes(4_000).parallelism(4).entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster, all);
    assertThat(cluster.mostBytes).isLessThanOrEqualTo(4_000);
    assertThat(cluster.sent.stream().filter(s -> s.request().alone()).count())
        .as("of the 12 that may be larger than the budget, and those after them")
        .isLessThanOrEqualTo(24);
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
    assertEverythingOnce(cluster, all);
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
    assertEverythingOnce(cluster, all);
  }

  @Test
  void theLargestNumbersAreAllowed() {
    for (int nodes = 1; nodes <= 3; nodes++) {
      SyntheticCluster cluster = new SyntheticCluster(21, nodes, 6, 1);
      cluster.localAtOnce = false;
      cluster.fill(300);
      Collector<Map.Entry<String, String>> some = new Collector<>(Long.MAX_VALUE);
      cluster.stream()
          .batchSize(Integer.MAX_VALUE)
          .batchBytes(Integer.MAX_VALUE)
          .entries()
          .subscribe(some);
      cluster.settle();
      assertEverythingOnce(cluster, some);
    }
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
}
