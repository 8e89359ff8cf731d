package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.stream.CacheStream;
import java.util.HashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A stream with adaptive credit goes on without a slow owner, within the same credit. */
class AdaptiveCreditTest {

  @Test
  void anOwnerThatDoesNotAnswerIsHedgedAtTheCursor() {
    SyntheticCluster cluster = new SyntheticCluster(1, 3, 24, 2);
    cluster.fill(900);
    Collector<String> fixed = new Collector<>(Long.MAX_VALUE);
    Collector<String> adaptive = new Collector<>(Long.MAX_VALUE);
    cluster.nodes.get(2).silent = true;
    cluster.stream().batchSize(60).keys().subscribe(fixed);
    cluster.stream().batchSize(60).adaptiveCredit().keys().subscribe(adaptive);
    cluster.advanceNanos(3_000_000_000L);
    assertThat(fixed.isTerminated()).isFalse();
    assertThat(adaptive.completions).isEqualTo(1);
    assertThat(new HashSet<>(adaptive.received)).isEqualTo(cluster.content.keySet());
    assertThat(adaptive.received).hasSize(900);
    fixed.subscription.cancel();
  }

  @Test
  void whatALateOwnerStillAnswersIsDropped() {
    for (long seed = 0; seed < 100; seed++) {
      SyntheticCluster cluster = new SyntheticCluster(seed, 4, 24, 3);
      cluster.maxDelayNanos = 400_000_000L; // Many answers are late, and all come.
      cluster.fill(500);
      Collector<String> all = new Collector<>(Long.MAX_VALUE);
      cluster.stream().batchSize(80).adaptiveCredit().keys().subscribe(all);
      while (cluster.step()) {
        assertThat(cluster.mostEntries).isLessThanOrEqualTo(80);
      }
      assertThat(all.errors).isEmpty();
      assertThat(all.completions).isEqualTo(1);
      assertThat(all.received).hasSize(500).doesNotHaveDuplicates();
      assertThat(cluster.buffersOut).isZero();
      assertThat(cluster.inFlightEntries).isZero();
    }
  }

  @Test
  void anOwnerWithoutAnotherOneIsWaitedFor() {
    SyntheticCluster cluster = new SyntheticCluster(1, 2, 8, 1);
    cluster.maxDelayNanos = 2_000_000_000L;
    cluster.fill(100);
    Collector<String> all = new Collector<>(Long.MAX_VALUE);
    cluster.stream().adaptiveCredit().keys().subscribe(all);
    cluster.settle();
    assertThat(all.completions).isEqualTo(1);
    assertThat(all.received).hasSize(100);
  }

  @Test
  void anOwnerOfSmallEntriesIsAskedForMoreOfThem() {
    assertThat(mostSmallEntriesAskedFor(stream -> stream)).isEqualTo(100); // half of its share
    assertThat(mostSmallEntriesAskedFor(CacheStream::adaptiveCredit)).isBetween(150, 200);
  }

  /** A request's most entries to the first of two nodes, whose entries are small. */
  private static int mostSmallEntriesAskedFor(UnaryOperator<CacheStream<String, String>> pace) {
    SyntheticCluster cluster = new SyntheticCluster(1, 3, 24, 1);
    cluster.maxDelayNanos = 0;
    for (int i = 0; i < 3000; i++) {
      String key = "key-" + i;
      boolean small = cluster.ownersOf(cluster.segmentOf(key))[0] == 1;
      cluster.put(key, "v".repeat(small ? 1 : 2000));
    }
    Set<Integer> ofTwoNodes =
        IntStream.range(0, 24)
            .filter(segment -> cluster.ownersOf(segment)[0] > 0)
            .boxed()
            .collect(Collectors.toSet());
    Collector<String> all = new Collector<>(Long.MAX_VALUE);
    pace.apply(cluster.stream().batchSize(400).batchBytes(64 << 10).segments(ofTwoNodes))
        .values()
        .subscribe(all);
    cluster.settle();
    assertThat(all.completions).isEqualTo(1);
    assertThat(cluster.mostEntries).isLessThanOrEqualTo(400);
    assertThat(cluster.mostBytes).isLessThanOrEqualTo(64 << 10);
    return cluster.sent.stream()
        .filter(sent -> sent.node().equals(cluster.nodes.get(1).id))
        .mapToInt(sent -> sent.request().maxEntries())
        .max()
        .orElseThrow();
  }
}
