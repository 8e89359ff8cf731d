package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
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
}
