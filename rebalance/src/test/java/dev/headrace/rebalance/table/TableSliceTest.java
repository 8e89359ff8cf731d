package dev.headrace.rebalance.table;

import static dev.headrace.rebalance.table.Sample.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.table.bits.BitOutput;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TableSliceTest {

  private final SegmentTable before = Sample.table(9, 200, 3);
  private final SegmentTable right = changed(List.of(before.owner(70, 2)));
  private final SegmentTable wrong = changed(List.of(before.owner(70, 1)));

  @Test
  void repairsATableThatDiffers() {
    TableSlice slice = TableSlice.decode(encoded(right.slice(64, 128)));
    SegmentTable repaired = wrong.withSlice(slice);

    assertThat(wrong).isNotEqualTo(right);
    assertThat(repaired).isEqualTo(right).hasSameHashCodeAs(right);
    assertThat(repaired.stamp()).isEqualTo(right.stamp());
    assertThat(wrong.withSlice(right.slice(0, 64))).isEqualTo(wrong);
  }

  @Test
  void carriesIncarnations() {
    SegmentTable lost = changed(List.of());
    SegmentTable repaired = wrong.withSlice(TableSlice.decode(encoded(lost.slice(70, 71))));

    assertThat(lost.incarnation(70)).isEqualTo(1);
    assertThat(repaired).isEqualTo(lost);
    assertThat(lost.withSlice(right.slice(0, 200))).isEqualTo(right);
  }

  @Test
  void staysSmallForOneSegmentOfManyAndForItsChunk() {
    SegmentTable large = Sample.table(100, 10_000, 7);

    assertThat(large.slice(7777, 7778).encoded().length()).isLessThan(32);
    assertThat(large.slice(7744, 7808).encoded().length()).isLessThan(512);
  }

  @Test
  void survivesItsBinaryForm() {
    for (int[] range : new int[][] {{0, 200}, {0, 0}, {199, 200}, {10, 150}}) {
      TableSlice slice = right.slice(range[0], range[1]);
      ByteBuffer bytes = encoded(slice);
      assertThat(TableSlice.decode(bytes)).isEqualTo(slice).hasSameHashCodeAs(slice);
      assertThat(bytes.hasRemaining()).isFalse();
      assertThat(slice.from()).isEqualTo(range[0]);
      assertThat(slice.to()).isEqualTo(range[1]);
    }
  }

  @Test
  void isRefusedByATableOfAnotherEpochOrOtherMembers() {
    TableSlice slice = right.slice(64, 128);
    SegmentTable fewer =
        before.apply(
            before.edit(right.epoch()).removeMembers(List.of(before.owner(70, 2))).delta());

    assertThatThrownBy(() -> before.withSlice(slice)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fewer.withSlice(slice)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> right.slice(100, 201)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> right.rangeStamp(3, 2)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void neverFailsInAnotherWayOnDamagedBytes() {
    byte[] bytes = encoded(changed(List.of()).slice(64, 128)).array();
    for (int length = 0; length < bytes.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(bytes, 0, length);
      assertThatThrownBy(() -> TableSlice.decode(cut)).isInstanceOf(WireException.class);
    }
    Random random = new Random(1);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] damaged = bytes.clone();
      for (int i = 0; i <= random.nextInt(3); i++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        right.withSlice(TableSlice.decode(ByteBuffer.wrap(damaged)));
      } catch (WireException | IllegalArgumentException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(1000);
  }

  @Test
  void makesNoRoomForWhatAForgedFormOnlyClaims() {
    BitOutput forged = new BitOutput();
    forged.vint(1);
    forged.vint(0);
    forged.vint(TableHeader.MAX_SEGMENTS);
    forged.vint(0);
    forged.vint(1);
    forged.vint(1);
    ByteBuffer bytes = ByteBuffer.allocate(forged.length());
    forged.copyTo(bytes);
    bytes.flip();

    assertThatThrownBy(() -> TableSlice.decode(bytes.duplicate()))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("131072 bytes of lengths of rows are due, 0 are left");
  }

  private SegmentTable changed(List<NodeId> owners) {
    return before.apply(before.edit(before.epoch() + 1).owners(70, owners).delta());
  }
}
