package dev.headrace.rebalance.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds the sizes that publishing a table counts on. */
final class TableSizeTest {

  private static final int SEGMENTS = 10_000;

  @ParameterizedTest
  @CsvSource({"2, 10", "2, 100", "2, 1000", "7, 10", "7, 100", "7, 1000"})
  void aFreshImageTakesAtMostTwoBytesPerReplica(int owners, int members) {
    SegmentTable table = Sample.table(members, SEGMENTS, owners);

    assertThat(bytesWithoutMembers(table)).isLessThanOrEqualTo(2 * SEGMENTS * owners);
  }

  @ParameterizedTest
  @CsvSource({
    "2, 100, 1000, 20",
    "2, 1000, 1000, 20",
    "2, 100, 20000, 1",
    "7, 100, 1000, 20",
    "7, 100, 20000, 1"
  })
  void anImageStaysWithinItAfterManyChanges(int owners, int members, int deltas, int migrations) {
    SegmentTable table = changed(Sample.table(members, SEGMENTS, owners), deltas, migrations);

    assertThat(bytesWithoutMembers(table)).isLessThanOrEqualTo(2 * SEGMENTS * owners);
    assertThat(SegmentTable.decode(Sample.encoded(table))).isEqualTo(table);
  }

  @ParameterizedTest
  @CsvSource({"2, 100, 1", "2, 1000, 50", "3, 100, 500", "7, 100, 1", "7, 1000, 50", "7, 100, 500"})
  void aDeltaTakesAtMostEightBytesPerMigration(int owners, int members, int migrations) {
    SegmentTable table = Sample.table(members, SEGMENTS, owners);
    TableDelta nothing = table.edit(table.epoch() + 1).delta();
    TableDelta delta = migrations(table, migrations, new Random(1));

    assertThat(delta.changedSegments()).hasSizeBetween(migrations * 9 / 10, migrations);
    assertThat(delta.encoded().length() - nothing.encoded().length())
        .isPositive()
        .isLessThanOrEqualTo(8 * delta.changedSegments().length + 1);
    assertThat(nothing.encoded().length()).isLessThan(20);
  }

  /** What an image takes besides identity, name, address and ordinal of each member. */
  private static int bytesWithoutMembers(SegmentTable table) {
    int list = table.members().stream().mapToInt(member -> member.encodedBytes() + 1).sum();
    assertThat(table.encoded().length()).isGreaterThan(list);
    return table.encoded().length() - list;
  }

  private static SegmentTable changed(SegmentTable table, int deltas, int migrations) {
    Random random = new Random(1);
    SegmentTable changed = table;
    for (int i = 0; i < deltas; i++) {
      changed = changed.apply(migrations(changed, migrations, random));
    }
    return changed;
  }

  private static TableDelta migrations(SegmentTable table, int count, Random random) {
    TableEdit edit = table.edit(table.epoch() + 1);
    for (int i = 0; i < count; i++) {
      Sample.migrate(edit, table, random.nextInt(SEGMENTS), random);
    }
    return edit.delta();
  }
}
