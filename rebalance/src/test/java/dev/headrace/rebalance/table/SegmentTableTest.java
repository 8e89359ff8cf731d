package dev.headrace.rebalance.table;

import static dev.headrace.rebalance.table.Sample.encoded;
import static dev.headrace.rebalance.table.Sample.member;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.WireException;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SegmentTableTest {

  private static final Member A = member(1, 1);
  private static final Member B = member(2, 1);
  private static final Member C = member(3, 1);
  private static final Member CLIENT = member(4, 0);
  private static final int[][] ROWS = {{0, 1}, {1, 2}, {2, 0}, {1}};

  private final SegmentTable table =
      SegmentTable.of(new TableHeader(100, 7, 0, 99, 4, 2, 100), List.of(A, B, C, CLIENT), ROWS);

  @Test
  void namesTheOwnersOfEachSegment() {
    assertThat(table.owners(0)).containsExactly(A.id(), B.id());
    assertThat(table.owners(3)).containsExactly(B.id());
    assertThat(table.primary(2)).isEqualTo(C.id());
    assertThat(table.isOwner(2, A.id())).isTrue();
    assertThat(table.isPrimary(2, A.id())).isFalse();
    assertThat(table.isOwner(0, C.id())).isFalse();
    assertThat(table.isOwner(0, CLIENT.id())).isFalse();
    assertThat(table.effectiveOwners()).isEqualTo(2);
    assertThat(table.member(B.id())).isEqualTo(B);
    assertThat(table.member(new NodeId(0, 77))).isNull();
  }

  @Test
  void refusesWhatIsNotASegmentOrAnOwner() {
    assertThatThrownBy(() -> table.owner(3, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> table.ownerCount(4)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> table.incarnation(-1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void promotesTheFirstSurvivorWhenAnOwnerIsLost() {
    SegmentTable after = table.withoutMembers(101, Set.of(A.id()));

    assertThat(after.members()).containsExactly(B, C, CLIENT);
    assertThat(after.owners(0)).containsExactly(B.id());
    assertThat(after.owners(1)).containsExactly(B.id(), C.id());
    assertThat(after.owners(2)).containsExactly(C.id());
    assertThat(after.segmentEpoch(0)).isEqualTo(101);
    assertThat(after.segmentEpoch(1)).isEqualTo(100);
    assertThat(after.lostSegments()).isEmpty();
  }

  @Test
  void raisesTheIncarnationOnceWhenAllOwnersAreLost() {
    SegmentTable after =
        table.withoutMembers(101, Set.of(B.id())).withoutMembers(102, Set.of(A.id()));

    assertThat(after.lostSegments()).containsExactly(0, 3);
    assertThat(after.primary(0)).isNull();
    assertThat(after.incarnation(0)).isEqualTo(1);
    assertThat(after.incarnation(1)).isZero();
    assertThat(after.incarnation(3)).isEqualTo(1);
    assertThat(after.segmentEpoch(3)).isEqualTo(101);
    assertThat(table.incarnation(3)).isZero();
  }

  @Test
  void raisesEverySegmentsEpochAtTheFirstWrite() {
    SegmentTable written = table.written(101, 5);

    assertThat(written.written()).isTrue();
    assertThat(written.segmentEpoch(2)).isEqualTo(101);
    assertThat(written.owners(1)).isEqualTo(table.owners(1));
    assertThat(written.clusterId()).isEqualTo(table.clusterId());
  }

  @Test
  void leavesOwnersAloneWhenAMemberWithoutCapacityJoins() {
    Member joined = member(9, 0);
    SegmentTable after = table.withMembers(101, List.of(joined));

    assertThat(after.members()).containsExactly(A, B, C, CLIENT, joined);
    assertThat(after.segmentEpoch(0)).isEqualTo(100);
    assertThatThrownBy(() -> table.withMembers(101, List.of(A)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void remembersTheWrittenTablesThatLedToIt() {
    SegmentTable written = table.written(101, 5);
    SegmentTable after =
        written.withoutMembers(102, Set.of(A.id())).withMembers(102, List.of(member(9, 0)));

    assertThat(after.descendsFrom(101)).isTrue();
    assertThat(after.descendsFrom(100)).isFalse();
    assertThat(after.descendsFrom(102)).isFalse();
    SegmentTable later = after;
    for (int epoch = 103; epoch < 300; epoch++) {
      later = later.withoutMembers(epoch, Set.of());
    }
    assertThat(later.descendsFrom(298)).isTrue();
    assertThat(later.descendsFrom(299 - SegmentTable.MAX_ANCESTORS)).isTrue();
    assertThat(later.descendsFrom(298 - SegmentTable.MAX_ANCESTORS)).isFalse();
    assertThat(SegmentTable.decode(encoded(later))).isEqualTo(later);
  }

  @Test
  void survivesItsBinaryForm() {
    for (SegmentTable each :
        List.of(
            table,
            table.written(101, 5),
            table.withoutMembers(101, Set.of(A.id(), B.id())),
            SegmentTable.of(table.header(), List.of(CLIENT), new int[4][0]))) {
      assertThat(SegmentTable.decode(encoded(each))).isEqualTo(each);
    }
  }

  @Test
  void refusesEveryCutOffForm() {
    byte[] bytes = encoded(table.withoutMembers(101, Set.of(B.id()))).array();
    for (int length = 0; length < bytes.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(bytes, 0, length);
      assertThatThrownBy(() -> SegmentTable.decode(cut)).isInstanceOf(WireException.class);
    }
  }

  @Test
  void neverFailsInAnotherWayOnDamagedBytes() {
    SegmentTable lost = table.withoutMembers(101, Set.of(B.id()));
    byte[] bytes = encoded(lost).array();
    Random random = new Random(1);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] damaged = bytes.clone();
      for (int i = 0; i <= random.nextInt(3); i++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        SegmentTable decoded = SegmentTable.decode(ByteBuffer.wrap(damaged));
        assertThat(decoded.stamp()).isEqualTo(lost.stamp());
      } catch (WireException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(10_000);
  }

  @Test
  void makesNoRoomForWhatAForgedFormOnlyClaims() {
    TableHeader header = new TableHeader(1, 1, 0, 1, TableHeader.MAX_SEGMENTS, 2, 100);
    for (int members : new int[] {0, SegmentTable.MAX_MEMBERS}) {
      ByteBuffer forged = ByteBuffer.allocate(128).put((byte) 4);
      header.encode(forged);
      forged.put((byte) ((members & 0x7F) | 0x80)).put((byte) (((members >>> 7) & 0x7F) | 0x80));
      forged.put((byte) (members >>> 14)).put(new byte[] {0, 0, 0, 1, 0, 1}).flip();
      Runnable refusal =
          () ->
              assertThatThrownBy(() -> SegmentTable.decode(forged.duplicate()))
                  .isInstanceOf(WireException.class)
                  .hasMessageContaining("cut off");
      refusal.run();
      assertThat(Sample.allocatedBytes(refusal)).isPositive().isLessThan(1 << 19);
    }
  }

  @Test
  void sharesWhatADeltaDoesNotChange() {
    SegmentTable large = Sample.table(9, 100_000, 2);
    SegmentTable after =
        large.apply(large.edit(large.epoch() + 1).owners(70, List.of(large.owner(70, 1))).delta());

    assertThat(after.chunks[1]).isNotSameAs(large.chunks[1]);
    for (int chunk = 0; chunk < large.chunks.length; chunk++) {
      assertThat(after.chunks[chunk] == large.chunks[chunk]).isEqualTo(chunk != 1);
    }
  }

  @Test
  void refusesAMemberTwiceAndAnOwnerWithoutCapacity() {
    TableHeader header = new TableHeader(1, 1, 0, 1, 1, 2, 100);
    assertThatThrownBy(() -> SegmentTable.of(header, List.of(A, A), new int[][] {{0}}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SegmentTable.of(header, List.of(A, CLIENT), new int[][] {{1}}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SegmentTable.of(header, List.of(A, B, C), new int[][] {{0, 1, 2}}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
