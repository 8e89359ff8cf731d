package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeavingNodesTest {
  private static final Member STAYING = member(1);
  private static final Member LEAVER = member(2);
  private static final SegmentTable EMPTY = table(5, 0);
  private static final SegmentTable OWNING = table(6, 1);
  private static final SegmentTable EMPTIED = table(7, 0);

  private final LeavingNodes leaving = new LeavingNodes(true);
  private final EmptyMembers empty = new EmptyMembers();

  @Test
  void whoOwnsAndOwesNothingMayGo() {
    empty.observe(EMPTY);
    leaving.add(LEAVER.id(), EMPTY.epoch());
    assertThat(leaving.mayGo(EMPTY, LEAVER, EMPTY.members(), empty)).isTrue();
    assertThat(leaving.mayGo(EMPTY, STAYING, EMPTY.members(), empty)).isFalse();
  }

  @Test
  void whoOwesSomethingStays() {
    empty.observe(EMPTY);
    leaving.add(LEAVER.id(), SegmentTable.NEVER);
    assertThat(leaving.mayGo(EMPTY, LEAVER, EMPTY.members(), empty)).isFalse();
  }

  @Test
  void whatANodeSaidBeforeItWasGivenASegmentDoesNotCountWhenTheSegmentHasMovedOn() {
    leaving.add(LEAVER.id(), EMPTY.epoch());
    for (SegmentTable table : List.of(EMPTY, OWNING, EMPTIED)) {
      empty.observe(table);
    }
    assertThat(leaving.mayGo(EMPTIED, LEAVER, EMPTIED.members(), empty)).isFalse();

    leaving.add(LEAVER.id(), EMPTIED.epoch());
    assertThat(leaving.mayGo(EMPTIED, LEAVER, EMPTIED.members(), empty)).isTrue();
  }

  @Test
  void whatANodeSaidBeforeTheCoordinatorsFirstTableDoesNotCount() {
    leaving.add(LEAVER.id(), EMPTY.epoch());
    empty.observe(EMPTIED);
    assertThat(leaving.mayGo(EMPTIED, LEAVER, EMPTIED.members(), empty)).isFalse();
  }

  @Test
  void whereNobodyStaysEverybodyMayGo() {
    empty.observe(OWNING);
    leaving.add(LEAVER.id(), SegmentTable.NEVER);
    leaving.add(STAYING.id(), SegmentTable.NEVER);
    assertThat(leaving.mayGo(OWNING, LEAVER, OWNING.members(), empty)).isTrue();
  }

  @Test
  void nobodyGoesWithWhatSomebodyWhoComesCouldTakeOver() {
    empty.observe(OWNING);
    leaving.add(LEAVER.id(), SegmentTable.NEVER);
    leaving.add(STAYING.id(), SegmentTable.NEVER);
    assertThat(leaving.mayGo(OWNING, LEAVER, List.of(LEAVER, STAYING, member(3)), empty)).isFalse();
  }

  private static Member member(int number) {
    return new Member(new NodeId(number, number), "node-" + number, "host", 1, "", 1);
  }

  private static SegmentTable table(long epoch, int owner) {
    TableHeader header = new TableHeader(epoch, 8, 4, 6, 1, 1, 5, "maglev:1.25");
    return SegmentTable.of(header, List.of(STAYING, LEAVER), new int[][] {{owner}});
  }
}
