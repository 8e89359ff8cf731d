package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.protocol.Streams;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
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

  @Test
  void aTokenOfChosenKeysGoesOnWithTheseKeysOnly() {
    SyntheticCluster cluster = new SyntheticCluster(1, 1, 4, 1);
    cluster.fill(300);
    Set<String> chosen = new HashSet<>(List.of("key-1", "key-20", "key-33", "key-4", "key-250"));
    List<String> tokens = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    StreamListener keeper =
        new StreamListener() {
          @Override
          public void batchConsumed(Supplier<String> token) {
            tokens.add(token.get());
          }
        };
    try (var some = cluster.stream().keys(chosen).batchSize(2).listener(keeper).keys().iterator()) {
      while (tokens.isEmpty()) {
        seen.add(some.next());
      }
    }
    String token = tokens.get(0);
    refusedBy(cluster, token, "same keys");
    Collector<String> other = new Collector<>(1);
    cluster.stream().resumeFrom(token).keys(Set.of("key-1")).keys().subscribe(other);
    cluster.settle();
    assertThat(other.errors).hasSize(1).allMatch(ResumeTokenException.class::isInstance);

    Collector<String> rest = new Collector<>(Long.MAX_VALUE);
    cluster.stream().resumeFrom(token).keys(chosen).keys().subscribe(rest);
    cluster.settle();
    assertThat(rest.completions).isEqualTo(1);
    seen.addAll(rest.received);
    assertThat(seen).isEqualTo(chosen);
    assertThat(rest.received).hasSizeLessThan(chosen.size()).doesNotHaveDuplicates();
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
