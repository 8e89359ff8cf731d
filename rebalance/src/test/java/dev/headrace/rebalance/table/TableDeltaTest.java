package dev.headrace.rebalance.table;

import static dev.headrace.rebalance.table.Sample.encoded;
import static dev.headrace.rebalance.table.Sample.member;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.table.Roster.Seat;
import dev.headrace.rebalance.table.bits.BitOutput;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TableDeltaTest {

  private static final int LARGE = 1 << 19;

  private final SegmentTable table = Sample.table(9, 200, 3);
  private final long next = table.epoch() + 1;
  private final TableDelta delta = mixedDelta();

  @Test
  void survivesItsBinaryForm() {
    ByteBuffer bytes = encoded(delta);

    assertThat(TableDelta.decode(bytes)).isEqualTo(delta).hasSameHashCodeAs(delta);
    assertThat(bytes.hasRemaining()).isFalse();
    assertThat(delta.toString()).contains("of 200 segments, 1 members less, 1 more");
  }

  @Test
  void readsNoFurtherThanItsOwnForm() {
    ByteBuffer two = ByteBuffer.allocate(2 * delta.encoded().length());
    delta.encoded().copyTo(two);
    delta.encoded().copyTo(two);
    two.flip();

    assertThat(TableDelta.decode(two)).isEqualTo(TableDelta.decode(two));
  }

  @Test
  void aWholeTableIsAChangeOfEverythingThatNoTableTakes() {
    TableDelta whole = TableDelta.fromNothing(table);

    assertThat(whole.isFromNothing()).isTrue();
    assertThat(whole.epoch()).isEqualTo(table.epoch());
    assertThat(whole.joined()).extracting(Seat::member).isEqualTo(table.members());
    assertThat(whole.changedSegments()).hasSize(table.segments());
    assertThat(delta.isFromNothing()).isFalse();
    assertThatThrownBy(() -> table.apply(whole)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void isRefusedByATableOfAnotherEpochOrSize() {
    SegmentTable later = table.apply(delta);

    assertThatThrownBy(() -> later.apply(delta))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot be applied to the table");
    assertThatThrownBy(() -> Sample.table(9, 201, 3).apply(delta))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void isRefusedByATableThatItWasNotMadeFrom() {
    assertDoesNotFit(rows(new TableDelta.Row(0, false, new short[] {~0, ~1, ~2, ~3})));
    assertDoesNotFit(rows(new TableDelta.Row(0, false, new short[] {55})));
    assertDoesNotFit(rows(new TableDelta.Row(0, false, new short[] {1, 1})));
    assertDoesNotFit(rows(new TableDelta.Row(0, false, new short[] {1, 2, 3, 4, 5})));
    assertDoesNotFit(delta(List.of(1), List.of()));
    assertDoesNotFit(delta(List.of(9), List.of()));
    assertDoesNotFit(delta(List.of(), List.of(new Seat(3, member(77, 1), 0))));
    assertDoesNotFit(delta(List.of(), List.of(new Seat(12, member(77, 1), 0))));
    assertDoesNotFit(delta(List.of(), List.of(new Seat(9, member(3, 1), 0))));
  }

  @Test
  void refusesEveryCutOffForm() {
    byte[] bytes = encoded(delta).array();
    for (int length = 0; length < bytes.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(bytes, 0, length);
      assertThatThrownBy(() -> TableDelta.decode(cut)).isInstanceOf(WireException.class);
    }
  }

  @Test
  void neverFailsInAnotherWayOnDamagedBytesAndNeverBreaksATable() {
    byte[] bytes = encoded(delta).array();
    Random random = new Random(1);
    int refused = 0;
    int applied = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] damaged = bytes.clone();
      for (int i = 0; i <= random.nextInt(3); i++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        SegmentTable after = table.apply(TableDelta.decode(ByteBuffer.wrap(damaged)));
        assertThat(SegmentTable.decode(encoded(after))).isEqualTo(after);
        applied++;
      } catch (WireException | IllegalArgumentException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(1000);
    assertThat(applied).isGreaterThan(1000);
  }

  @Test
  void makesNoRoomForWhatAForgedFormOnlyClaims() {
    for (int flags = 0; flags < 3; flags += 2) {
      BitOutput forged = new BitOutput();
      forged.bits(3, 8);
      forged.vint(1);
      forged.vint(1);
      forged.vint(TableHeader.MAX_SEGMENTS);
      forged.bits(flags, 8);
      forged.vint(flags == 0 ? TableHeader.MAX_SEGMENTS : SegmentTable.MAX_MEMBERS);
      assertRefusedCheaply(forged);
    }
    BitOutput longRow = new BitOutput();
    longRow.bits(3, 8);
    longRow.vint(1);
    longRow.vint(1);
    longRow.vint(TableHeader.MAX_SEGMENTS);
    longRow.bits(0, 8);
    longRow.vint(1);
    longRow.vint(0);
    longRow.vint(2 * SegmentTable.MAX_MEMBERS);
    assertRefusedCheaply(longRow);
  }

  private static void assertRefusedCheaply(BitOutput forged) {
    ByteBuffer bytes = ByteBuffer.allocate(forged.length());
    forged.copyTo(bytes);
    bytes.flip();
    Runnable refusal =
        () ->
            assertThatThrownBy(() -> TableDelta.decode(bytes.duplicate()))
                .isInstanceOf(WireException.class)
                .hasMessageContaining("cut off");
    refusal.run();
    assertThat(Sample.allocatedBytes(refusal)).isPositive().isLessThan(LARGE);
  }

  private void assertDoesNotFit(TableDelta wrong) {
    TableDelta received = TableDelta.decode(encoded(wrong));
    assertThatThrownBy(() -> table.apply(received)).isInstanceOf(IllegalArgumentException.class);
  }

  private TableDelta rows(TableDelta.Row row) {
    return new TableDelta(
        table.epoch(), next, 200, 0, 0, List.of(), List.of(), List.of(), List.of(row));
  }

  private TableDelta delta(List<Integer> removed, List<Seat> joined) {
    return new TableDelta(table.epoch(), next, 200, 0, 0, removed, List.of(), joined, List.of());
  }

  private TableDelta mixedDelta() {
    TableEdit edit =
        table.edit(next).addMember(member(20, 2)).removeMembers(List.of(member(4, 1).id()));
    edit.owners(7, List.of(member(20, 2).id(), member(1, 1).id()));
    edit.owners(199, List.of());
    return edit.delta();
  }
}
