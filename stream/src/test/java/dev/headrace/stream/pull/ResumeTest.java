package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.stream.Delivery;
import dev.headrace.stream.protocol.Streams;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which streams a token does not belong to. */
class ResumeTest {

  @Test
  void aTokenOfAnotherCacheOrClusterIsRefusedWhenSubscribed() {
    SyntheticCluster cluster = new SyntheticCluster(1, 1, 4, 1);
    refusedBy(cluster, token(SyntheticCluster.IDENTITY, "trades", 4, 0), "trades");
    refusedBy(cluster, token(SyntheticCluster.IDENTITY + 1, "quotes", 4, 0), "another cluster");
    refusedBy(cluster, token(SyntheticCluster.IDENTITY, "quotes", 5, 0), "another cluster");
  }

  @Test
  void aTokenThatOutlivedItsDataIsRefusedUnlessGapsAreAllowed() {
    SyntheticCluster cluster = new SyntheticCluster(1, 1, 4, 1);
    String outdated = token(SyntheticCluster.IDENTITY, "quotes", 4, 2);
    refusedBy(cluster, outdated, "outlived");
    Collector<Map.Entry<String, String>> collector = new Collector<>(1);
    cluster.stream()
        .delivery(Delivery.AT_MOST_ONCE)
        .resumeFrom(outdated)
        .entries()
        .subscribe(collector);
    cluster.settle();
    assertThat(collector.completions).isEqualTo(1);
  }

  private static String token(long identity, String cache, int segments, int incarnation) {
    return Streams.token(identity, cache, segments, 2, incarnation);
  }

  private static void refusedBy(SyntheticCluster cluster, String token, String why) {
    Collector<Map.Entry<String, String>> collector = new Collector<>(1);
    cluster.stream().resumeFrom(token).entries().subscribe(collector);
    cluster.settle();
    assertThat(collector.errors).hasSize(1).allMatch(ResumeTokenException.class::isInstance);
    assertThat(collector.errors.get(0)).hasMessageContaining(why);
  }
}
