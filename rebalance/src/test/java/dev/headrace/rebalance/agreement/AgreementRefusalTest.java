package dev.headrace.rebalance.agreement;

import static dev.headrace.rebalance.agreement.Mill.limited;
import static dev.headrace.rebalance.agreement.Mill.started;
import static dev.headrace.rebalance.agreement.Mill.terms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.LostSegments;
import dev.headrace.api.SplitPolicy;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class AgreementRefusalTest {

  private final Simulation cluster = Simulation.calm(SplitPolicy.DENY);

  @Test
  void anotherNumberOfSegmentsIsRefusedNamingBoth() {
    assertRefused(terms("mill", 32, 2, OptionalLong.empty()), "segments 32", "has 16");
  }

  @Test
  void anotherNumberOfOwnersIsRefusedNamingBoth() {
    assertRefused(terms("mill", 16, 3, OptionalLong.empty()), "owners 3", "has 2");
  }

  @Test
  void anotherLimitOfEntriesIsRefusedNamingBoth() {
    assertRefused(limited(99), "maxEntryBytes 99", "start it with 100");
  }

  @Test
  void aNodeThatHoldsNothingTakesTheLimitOfEntries() {
    started(cluster, 1);
    AgreementNode client = cluster.start(limited(99), 0);
    cluster.run(1000);
    assertThat(client.refusal).isNull();
    assertThat(client.table.header().maxEntryBytes()).isEqualTo(100);
  }

  @Test
  void anotherClusterNameIsRefusedNamingBoth() {
    assertRefused(terms("sawmill", 16, 2, OptionalLong.empty()), "\"sawmill\"", "\"mill\"");
  }

  @Test
  void anotherSeedIsRefusedNamingBoth() {
    AgreementNode first = started(cluster, 1);
    String seed = Long.toString(first.table.hashSeed());
    assertRefused(terms("mill", 16, 2, OptionalLong.of(5)), "seed 5", seed);
    assertThat(first.table.members()).containsExactly(first.member);
  }

  @Test
  void anotherPlacementIsRefusedNamingBoth() {
    assertRefused(placed("maglev:1.25"), "the placement maglev:1.25", "with levelled-rendezvous");
  }

  @Test
  void aNodeThatHoldsNothingTakesThePlacement() {
    AgreementNode first = cluster.start(placed("maglev"), 1);
    cluster.run(1000);
    AgreementNode client = cluster.start(placed("jump"), 0);
    cluster.run(1000);
    assertThat(first.table.header().placement()).isEqualTo("maglev");
    assertThat(client.refusal).isNull();
    assertThat(client.table.header().placement()).isEqualTo("maglev");
  }

  @Test
  void anotherDecisionAboutLostSegmentsIsRefusedNamingBoth() {
    started(cluster, 1);
    cluster.lost = LostSegments.recreateWhenEnded();
    assertRefused(Mill.TERMS, "lostSegments recreateWhenEnded()", "start it with WAIT");
  }

  @Test
  void aNodeThatHoldsNothingDecidesNothingAboutLostSegments() {
    started(cluster, 1);
    cluster.lost = LostSegments.recreateWhenEnded();
    AgreementNode client = cluster.start(Mill.TERMS, 0);
    cluster.run(1000);
    assertThat(client.refusal).isNull();
  }

  private static ClusterTerms placed(String placement) {
    return new ClusterTerms("mill", 16, 2, 100, OptionalLong.empty()).placedBy(placement);
  }

  private void assertRefused(ClusterTerms terms, String theirs, String ours) {
    if (cluster.up().isEmpty()) {
      started(cluster, 1);
    }
    AgreementNode wrong = cluster.start(terms, 1);
    cluster.run(1000);
    assertThat(wrong.refusal).contains(theirs).contains(ours);
    assertThat(wrong.table).isNull();
  }
}
