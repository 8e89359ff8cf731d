package dev.headrace.rebalance.table;

import static dev.headrace.rebalance.table.Sample.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TableStampTest {

  private static final Member A = member(1, 1);
  private static final Member B = member(2, 1);
  private static final Member C = member(3, 1);
  private static final TableHeader HEADER = new TableHeader(100, 7, 5, 99, 2, 2, 50);

  private final SegmentTable table = table(List.of(A, B, C), new int[][] {{0, 1}, {1, 2}});

  @Test
  void differsWhenTheOrderOfOwnersDiffers() {
    assertDiffers(table(List.of(A, B, C), new int[][] {{1, 0}, {1, 2}}), true);
  }

  @Test
  void differsWhenTwoSegmentsChangePlaces() {
    assertDiffers(table(List.of(A, B, C), new int[][] {{1, 2}, {0, 1}}), true);
  }

  @Test
  void differsWhenAnotherNodeHasTheSameOrdinal() {
    assertDiffers(table(List.of(A, member(4, 1), C), new int[][] {{0, 1}, {1, 2}}), true);
  }

  @Test
  void differsWhenIncarnationsDiffer() {
    SegmentTable lost = table.apply(table.edit(101).owners(0, List.of()).delta());
    SegmentTable back = lost.apply(lost.edit(102).owners(0, List.of(A.id(), B.id())).delta());

    assertThat(back.owners(0)).isEqualTo(table.owners(0));
    assertDiffers(back, true);
    assertThat(back.rangeStamp(1, 2)).isEqualTo(table.rangeStamp(1, 2));
  }

  @Test
  void differsWhenAnyFieldOfAMemberOrTheirOrderDiffers() {
    NodeId id = C.id();
    String name = C.name();
    String host = C.host();
    List<Member> others =
        List.of(
            new Member(id, "other", host, 4000, "", 1),
            new Member(id, name, "other", 4000, "", 1),
            new Member(id, name, host, 4001, "", 1),
            new Member(id, name, host, 4000, "zone", 1),
            new Member(id, name, host, 4000, "", 2));
    Set<Long> stamps = new HashSet<>();
    for (Member other : others) {
      SegmentTable changed = table(List.of(A, B, other), new int[][] {{0, 1}, {1, 2}});
      assertDiffers(changed, false);
      stamps.add(changed.stamp());
    }
    assertThat(stamps).hasSize(others.size());
    assertDiffers(table(List.of(C, B, A), new int[][] {{2, 1}, {1, 0}}), false);
  }

  @Test
  void differsWhenTheClusterIsAnother() {
    List<TableHeader> others =
        List.of(
            new TableHeader(100, 8, 5, 99, 2, 2, 50),
            new TableHeader(100, 7, 0, 99, 2, 2, 50),
            new TableHeader(100, 7, 5, 98, 2, 2, 50),
            new TableHeader(100, 7, 5, 99, 2, 3, 50),
            new TableHeader(100, 7, 5, 99, 2, 2, 51),
            new TableHeader(100, 7, 5, 99, 2, 2, 50).speaking(1),
            new TableHeader(100, 7, 5, 99, 2, 2, 50, "maglev"),
            new TableHeader(100, 7, 5, 99, 2, 2, 50, "maglev:1.25"));
    for (TableHeader other : others) {
      SegmentTable changed = SegmentTable.of(other, table.members(), new int[][] {{0, 1}, {1, 2}});
      assertDiffers(changed, false);
    }
  }

  @Test
  void isTheSameWhateverTheEpochsAndOrdinalsAre() {
    SegmentTable changed =
        table(List.of(A, member(8, 1), B), new int[][] {{0}, {2}})
            .withoutMembers(101, Set.of(member(8, 1).id()))
            .withMembers(102, List.of(C));
    SegmentTable after =
        changed.apply(
            changed
                .edit(103)
                .owners(0, List.of(A.id(), B.id()))
                .owners(1, List.of(B.id(), C.id()))
                .delta());

    assertThat(after.stamp()).isEqualTo(table.stamp());
    assertThat(after.roster.ordinal(C.id())).isNotEqualTo(table.roster.ordinal(C.id()));
  }

  @Test
  void addsUpFromItsRanges() {
    SegmentTable large = Sample.table(9, 300, 3);
    long whole = large.rangeStamp(0, 300);

    assertThat(large.stamp()).isEqualTo(large.membersStamp() + whole);
    assertThat(large.rangeStamp(0, 0)).isZero();
    for (int cut : new int[] {0, 1, 63, 64, 65, 128, 256, 299, 300}) {
      assertThat(large.rangeStamp(0, cut) + large.rangeStamp(cut, 300)).isEqualTo(whole);
    }
  }

  @Test
  void leadsByHalvesToTheOnlySegmentThatDiffers() {
    SegmentTable large = Sample.table(100, 10_000, 2);
    SegmentTable other =
        large.apply(
            large.edit(large.epoch() + 1).owners(7777, List.of(large.owner(7777, 1))).delta());
    int from = 0;
    int to = 10_000;
    while (to - from > 1) {
      int middle = (from + to) >>> 1;
      boolean below = large.rangeStamp(from, middle) != other.rangeStamp(from, middle);
      assertThat(large.rangeStamp(middle, to) != other.rangeStamp(middle, to)).isEqualTo(!below);
      from = below ? from : middle;
      to = below ? middle : to;
    }
    assertThat(from).isEqualTo(7777);
  }

  private void assertDiffers(SegmentTable other, boolean rowsDiffer) {
    assertThat(other.stamp()).isNotEqualTo(table.stamp());
    assertThat(other.rangeStamp(0, 2) != table.rangeStamp(0, 2)).isEqualTo(rowsDiffer);
  }

  private static SegmentTable table(List<Member> members, int[][] rows) {
    return SegmentTable.of(HEADER, members, rows);
  }
}
