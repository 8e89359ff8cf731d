package dev.headrace.cluster.detection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.node.Images;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class EndingsTest {
  private static final Member ONE = member(1, 1);
  private static final Member TWO = member(2, 1);
  private static final Member CLIENT = member(3, 0);
  private static final SegmentTable BEFORE =
      SegmentTable.of(
          new TableHeader(1, 2, 3, 4, 2, 1, 100, "by-hand"),
          List.of(ONE, TWO, CLIENT),
          new int[][] {{0}, {1}});
  private static final SegmentTable WITHOUT_TWO =
      BEFORE.apply(BEFORE.edit(2).withdrawMembers(List.of(TWO.id())).delta());

  private final List<Member> knocked = new ArrayList<>();
  private final List<Runnable> refusals = new ArrayList<>();
  private final List<Collection<NodeId>> reports = new ArrayList<>();
  private final Endings endings = endings(true);
  private long nowNanos = 7;

  @Test
  void aNodeHasEndedWhenItHungUpAndItsPortRefuses() {
    Images.install(endings, BEFORE);
    endings.hungUp(TWO, nowNanos);
    pass(1);
    assertThat(knocked).containsExactly(TWO);
    refusals.get(0).run();
    pass(10_000);
    assertThat(reports).as("nothing waits for it").isEmpty();
    assertThat(knocked).hasSize(1);

    Images.install(endings, WITHOUT_TWO);
    pass(1_000);
    assertThat(reports).hasSizeGreaterThan(1).allMatch(List.of(TWO.id())::equals);
  }

  @Test
  void aNodeWhosePortDoesNotRefuseIsTriedSomeTimesAndHasNotEnded() {
    Images.install(endings, BEFORE);
    endings.hungUp(TWO, nowNanos);
    pass(60_000);
    assertThat(knocked).hasSize(9);
    Images.install(endings, WITHOUT_TWO);
    refusals.get(8).run(); // so late that it may be of somebody else
    pass(60_000);
    assertThat(reports).isEmpty();
  }

  @Test
  void silenceIsNoEnd() {
    Images.install(endings, BEFORE);
    Images.install(endings, WITHOUT_TWO);
    pass(60_000);
    assertThat(knocked).isEmpty();
    assertThat(reports).isEmpty();
  }

  @Test
  void itEndsWhenNothingWaitsForTheNodeAnyMore() {
    Images.install(endings, WITHOUT_TWO);
    endings.hungUp(TWO, nowNanos);
    pass(1);
    refusals.get(0).run();
    pass(1_000);
    int told = reports.size();
    assertThat(told).isPositive();
    Images.install(endings, WITHOUT_TWO.apply(WITHOUT_TWO.edit(3).giveUp(List.of(1)).delta()));
    pass(1_000);
    assertThat(reports).hasSize(told);
  }

  @Test
  void nobodyIsTriedWhoHoldsNothingOrWhereSegmentsWaitAnyway() {
    Images.install(endings, BEFORE);
    endings.hungUp(CLIENT, nowNanos);
    endings.hungUp(null, nowNanos);
    pass(1_000);
    Endings unwanted = endings(false);
    Images.install(unwanted, BEFORE);
    unwanted.hungUp(TWO, nowNanos);
    unwanted.tick(nowNanos + 1_000_000);
    assertThat(knocked).isEmpty();
  }

  private Endings endings(boolean wanted) {
    return new Endings(
        wanted,
        (node, refused) -> {
          knocked.add(node);
          refusals.add(refused);
        },
        reports::add,
        nowNanos);
  }

  private void pass(int millis) {
    for (int i = 0; i < millis; i++) {
      nowNanos += TimeUnit.MILLISECONDS.toNanos(1);
      endings.tick(nowNanos);
    }
  }

  private static Member member(int id, double capacity) {
    return new Member(new NodeId(0, id), "node-" + id, "127.0.0.1", 7000 + id, "", capacity);
  }
}
