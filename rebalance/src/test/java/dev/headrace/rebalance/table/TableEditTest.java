package dev.headrace.rebalance.table;

import static dev.headrace.rebalance.table.Sample.member;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.stream.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TableEditTest {

  private static final Member A = member(1, 1);
  private static final Member B = member(2, 1);
  private static final Member C = member(3, 1);
  private static final Member D = member(4, 1);
  private static final Member CLIENT = member(9, 0);
  private static final int[][] ROWS = {{0, 1}, {1, 2}, {2, 0}, {1}};

  private final SegmentTable table =
      SegmentTable.of(new TableHeader(100, 7, 5, 99, 4, 2, 100), List.of(A, B, C, CLIENT), ROWS);

  @Test
  void changesOnlyTheRowsThatItNames() {
    TableDelta delta = table.edit(103).owners(1, List.of(A.id(), C.id())).delta();
    SegmentTable after = table.apply(delta);

    assertThat(delta.changedSegments()).containsExactly(1);
    assertThat(delta.fromEpoch()).isEqualTo(100);
    assertThat(delta.epoch()).isEqualTo(103);
    assertThat(delta.changesMembers()).isFalse();
    assertThat(after.epoch()).isEqualTo(103);
    assertThat(after.owners(1)).containsExactly(A.id(), C.id());
    assertThat(after.segmentEpoch(1)).isEqualTo(103);
    assertThat(after.segmentEpoch(0)).isEqualTo(100);
    assertThat(after.incarnation(1)).isZero();
    assertThat(table.owners(1)).containsExactly(B.id(), C.id());
  }

  @Test
  void saysNothingOfARowThatStaysAsItWas() {
    TableDelta delta =
        table
            .edit(101)
            .owners(0, List.of(C.id()))
            .owners(0, List.of(A.id(), B.id()))
            .owners(2, List.of(A.id(), C.id()))
            .delta();

    assertThat(delta.changedSegments()).containsExactly(2);
  }

  @Test
  void mayLeadToALaterEpochWithoutAnyOtherChange() {
    SegmentTable after = table.apply(table.edit(101).delta());

    assertThat(after.epoch()).isEqualTo(101);
    assertThat(after.stamp()).isEqualTo(table.stamp());
    assertThat(after.descendsFrom(100)).isTrue();
    assertThatThrownBy(() -> table.edit(100)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void givesASegmentToAMemberThatJoinsAtTheSameTime() {
    TableDelta delta = table.edit(101).addMember(D).owners(3, List.of(B.id(), D.id())).delta();
    SegmentTable after = table.apply(delta);

    assertThat(delta.joined()).extracting(Roster.Seat::member).containsExactly(D);
    assertThat(delta.changesMembers()).isTrue();
    assertThat(after.members()).containsExactly(A, B, C, CLIENT, D);
    assertThat(after.owners(3)).containsExactly(B.id(), D.id());
  }

  @Test
  void letsAnOwnerComeBeforeAnotherGoesButNoMoreThanOne() {
    SegmentTable after =
        table.apply(table.edit(101).owners(0, List.of(A.id(), B.id(), C.id())).delta());

    assertThat(after.ownerCount(0)).isEqualTo(3);
    assertThat(SegmentTable.decode(Sample.encoded(after))).isEqualTo(after);
    TableEdit edit = table.edit(101).addMember(D);
    assertThatThrownBy(() -> edit.owners(0, List.of(A.id(), B.id(), C.id(), D.id())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4 owners where at most 3");
  }

  @Test
  void takesALostMemberOutOfAllRows() {
    TableDelta delta = table.edit(101).removeMembers(List.of(B.id())).delta();
    SegmentTable after = table.apply(delta);

    assertThat(delta.changedSegments()).containsExactly(0, 1, 3);
    assertThat(after.members()).containsExactly(A, C, CLIENT);
    assertThat(after.owners(0)).containsExactly(A.id());
    assertThat(after.owners(1)).containsExactly(C.id());
    assertThat(after.lostSegments()).containsExactly(3);
    assertThat(after.incarnation(3)).isEqualTo(1);
    assertThat(after.incarnation(1)).isZero();
    assertThat(after.replicas(A.id())).isEqualTo(2);
    assertThat(after.replicas(B.id())).isZero();
    assertThat(table.replicas(B.id())).isEqualTo(3);
  }

  @Test
  void raisesTheIncarnationOfASegmentThatIsLostAndGivenAwayAtOnce() {
    TableDelta delta =
        table.edit(101).removeMembers(List.of(B.id())).owners(3, List.of(A.id(), C.id())).delta();
    SegmentTable after = table.apply(delta);

    assertThat(after.owners(3)).containsExactly(A.id(), C.id());
    assertThat(after.incarnation(3)).isEqualTo(1);
    assertThat(table.apply(TableDelta.decode(Sample.encoded(delta)))).isEqualTo(after);
  }

  @Test
  void keepsTheIncarnationWhenTheOwnersAreReplacedBeforeTheyGo() {
    SegmentTable after =
        table.apply(
            table.edit(101).owners(3, List.of(C.id())).removeMembers(List.of(B.id())).delta());

    assertThat(after.owners(3)).containsExactly(C.id());
    assertThat(after.incarnation(3)).isZero();
  }

  @Test
  void changesEverySegmentWhenItFirstWrites() {
    SegmentTable unwritten =
        SegmentTable.of(new TableHeader(100, 7, 0, 99, 4, 2, 100), List.of(A, B, C), ROWS);
    TableDelta delta = unwritten.edit(101).written(5).owners(3, List.of(B.id(), C.id())).delta();
    SegmentTable after = unwritten.apply(TableDelta.decode(Sample.encoded(delta)));

    assertThat(delta.marksFirstWrite()).isTrue();
    assertThat(delta.changedSegments()).containsExactly(0, 1, 2, 3);
    assertThat(after.header()).isEqualTo(unwritten.header().written(101, 5));
    for (int segment = 0; segment < 4; segment++) {
      assertThat(after.segmentEpoch(segment)).isEqualTo(101);
    }
    assertThat(after.ownerCount(3)).isEqualTo(2);
    assertThatThrownBy(() -> after.edit(102).written(6))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void givesEveryMemberAnOrdinalOfItsOwnUntilToldThatVacantOnesMayBeUsed() {
    SegmentTable without = table.apply(table.edit(101).removeMembers(List.of(B.id())).delta());
    SegmentTable carefully = without.apply(without.edit(102).addMember(D).delta());
    SegmentTable tooEarly =
        without.apply(without.edit(102).reusableThrough(100).addMember(D).delta());
    SegmentTable passed =
        without.apply(without.edit(102).reusableThrough(101).addMember(D).delta());

    assertThat(carefully.roster.ordinal(D.id())).isEqualTo(4);
    assertThat(tooEarly.roster.ordinal(D.id())).isEqualTo(4);
    assertThat(passed.roster.ordinal(D.id())).isEqualTo(1);
    assertThat(passed.members()).containsExactly(A, C, CLIENT, D);
    assertThat(passed.stamp()).isEqualTo(carefully.stamp());
    assertThat(passed).isNotEqualTo(carefully);
    assertThatThrownBy(() -> without.edit(102).reusableThrough(102))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void neverUsesAnOrdinalThatItVacatesItself() {
    TableEdit edit =
        table
            .edit(101)
            .removeMembers(List.of(B.id()))
            .reusableThrough(100)
            .addMember(D)
            .addMember(B);
    SegmentTable after = table.apply(edit.delta());

    assertThat(after.roster.ordinal(D.id())).isEqualTo(4);
    assertThat(after.roster.ordinal(B.id())).isEqualTo(5);
    assertThat(after.members()).containsExactly(A, C, CLIENT, D, B);
    assertThat(after.replicas(B.id())).isZero();
  }

  @Test
  void usesEachVacantOrdinalOnce() {
    SegmentTable without =
        table.apply(table.edit(101).removeMembers(List.of(A.id(), C.id())).delta());
    Member last = member(5, 1);
    Member client = member(6, 0);
    SegmentTable after =
        without.apply(
            without
                .edit(102)
                .reusableThrough(101)
                .addMember(D)
                .reusableThrough(101)
                .addMember(client)
                .addMember(last)
                .delta());

    assertThat(after.roster.ordinal(D.id())).isZero();
    assertThat(after.roster.ordinal(client.id())).isEqualTo(2);
    assertThat(after.roster.ordinal(last.id())).isEqualTo(4);
    assertThat(SegmentTable.decode(Sample.encoded(after))).isEqualTo(after);
    assertThat(SegmentTable.decode(Sample.encoded(without))).isEqualTo(without);
  }

  @Test
  void refusesWhatNoTableMayBe() {
    NodeId stranger = new NodeId(0, 77);
    assertRefused(() -> table.edit(101).addMember(A), "is a member already");
    assertRefused(() -> table.edit(101).removeMembers(List.of(stranger)), "There was no member");
    assertRefused(
        () -> table.edit(101).addMember(D).removeMembers(List.of(D.id())), "There was no member");
    assertRefused(() -> table.edit(101).owners(0, List.of(stranger)), "is no member");
    assertRefused(
        () -> table.edit(101).removeMembers(List.of(A.id())).owners(0, List.of(A.id())),
        "is no member");
    assertRefused(() -> table.edit(101).owners(0, List.of(CLIENT.id())), "holds nothing");
    assertRefused(() -> table.edit(101).owners(0, List.of(A.id(), A.id())), "twice");
    assertRefused(() -> table.edit(101).written(0), "cannot be marked as written");
    assertThatThrownBy(() -> table.edit(101).owners(4, List.of(A.id())))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static void assertRefused(Runnable edit, String reason) {
    assertThatThrownBy(edit::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }
}
