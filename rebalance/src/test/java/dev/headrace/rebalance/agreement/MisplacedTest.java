package dev.headrace.rebalance.agreement;

import static dev.headrace.rebalance.agreement.Mill.TERMS;
import static dev.headrace.rebalance.agreement.Mill.assertOneTable;
import static dev.headrace.rebalance.agreement.Mill.primaries;
import static dev.headrace.rebalance.agreement.Mill.started;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.api.error.PlacementException;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.table.SegmentTable;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A placement that cannot place the segments. */
final class MisplacedTest {

  private final Simulation cluster = Simulation.calm(SplitPolicy.DENY);

  @Test
  void aNodeWhosePlacementFailsDoesNotFoundACluster() {
    cluster.placement = failingBeyond(0);
    AgreementNode node = cluster.start(TERMS, 1);
    cluster.run(1000);
    assertThat(node.refusal).isEqualTo("too many nodes");
    assertThat(node.table).isNull();
  }

  @Test
  void withoutDataAPlacementThatFailsLeavesSegmentsWhereTheyAre() {
    cluster.placement = failingBeyond(2);
    AgreementNode first = started(cluster, 1);
    AgreementNode second = started(cluster, 1);
    SegmentTable two = first.table;
    AgreementNode third = started(cluster, 1);

    assertOneTable(List.of(first, second, third));
    assertThat(primaries(third)).isZero();
    for (int segment = 0; segment < 16; segment++) {
      assertThat(third.table.owners(segment)).isEqualTo(two.owners(segment));
    }
    assertThat(Stream.of(first, second, third).flatMap(node -> node.warnings.stream()))
        .singleElement()
        .satisfies(
            warning ->
                assertThat(warning).contains("stay where they are").endsWith("too many nodes"));

    cluster.crash(second);
    cluster.run(3000);
    assertThat(primaries(third)).isBetween(5L, 11L);
  }

  private static Placement failingBeyond(int nodes) {
    return (segments, owners, members) -> {
      if (members.size() > nodes) {
        throw new PlacementException("too many nodes");
      }
      return new WeightedRendezvous().place(segments, owners, members);
    };
  }
}
