package dev.headrace.replication.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.change.ChangeKind;
import dev.headrace.stream.change.ChangeQuery;
import dev.headrace.stream.change.ChangeView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChangeLogTest {
  private static final byte[] KEY = {1, 2};

  private static void put(ChangeLog log, long sequence, long term, int valueBytes) {
    log.add(ChangeKind.CREATED, sequence, term, KEY, new byte[valueBytes], null);
  }

  private static List<Long> numbers(ChangeLog.Excerpt excerpt) {
    List<Long> numbers = new ArrayList<>();
    ChangeView view = new ChangeView();
    byte[] bytes = excerpt.bytes();
    for (int at = 0; at < bytes.length; ) {
      at = view.parse(bytes, at, bytes.length);
      numbers.add(view.sequence());
    }
    return numbers;
  }

  private static ChangeLog.Excerpt all(ChangeLog log, long next) {
    return log.read(next, ChangeQuery.NO_LIMIT, Integer.MAX_VALUE);
  }

  @Test
  void onlyWhatIsStableIsTold() {
    ChangeLog log = new ChangeLog(new ChangeRetention(1 << 20, false));
    put(log, 1, 5, 10);
    log.skip(2, 5);
    put(log, 3, 6, 10);
    put(log, 4, 6, 10);
    assertThat(all(log, 1).next()).isEqualTo(1);
    log.stable(3);
    assertThat(log.takeAdvanced()).isTrue();
    assertThat(log.takeAdvanced()).isFalse();
    assertThat(numbers(all(log, 1))).containsExactly(1L, 3L);
    assertThat(all(log, 1).next()).isEqualTo(4);
    assertThat(all(log, 1).term()).isEqualTo(6);
    assertThat(numbers(log.read(1, 2, 1000))).containsExactly(1L);
    assertThat(log.read(1, 2, 1000).next()).isEqualTo(3);
    assertThat(log.read(1, 2, 1000).term()).isEqualTo(5);
    assertThat(log.read(2, 3, 1).next()).isEqualTo(4); // one is told however large it is
  }

  @Test
  void aLogIsQuietForWhoWasToldAllThatIsStableOfTheSameHistory() {
    ChangeLog log = new ChangeLog(new ChangeRetention(1 << 20, false));
    put(log, 1, 4, 10);
    put(log, 2, 5, 10);
    put(log, 3, 5, 10);
    log.stable(2);
    assertThat(log.isQuiet(3, 5)).isTrue();
    assertThat(log.isQuiet(2, 4)).as("2 is to be told").isFalse();
    assertThat(log.isQuiet(3, 4)).as("another mutation 2").isFalse();
    assertThat(log.isQuiet(3, -1)).as("which mutation 2 is not known").isFalse();
    assertThat(log.isQuiet(5, 5)).as("4 is not there").isFalse();
    log.stable(3);
    assertThat(log.isQuiet(3, 5)).isFalse();
    assertThat(log.isQuiet(4, 5)).isTrue();
    log.restart(7, 6, 7);
    assertThat(log.isQuiet(4, 5)).as("3 is not retained").isFalse();
  }

  @Test
  void whatIsRetainedIsBoundedOverAllLogsAndTheOldestGoesFirst() {
    ChangeRetention retention = new ChangeRetention(100_000, false);
    ChangeLog idle = new ChangeLog(retention);
    put(idle, 1, 1, 100);
    idle.stable(1);
    List<ChangeLog> logs = List.of(new ChangeLog(retention), new ChangeLog(retention));
    for (int sequence = 1; sequence <= 5000; sequence++) {
      for (ChangeLog log : logs) {
        put(log, sequence, 1, sequence % 200);
        log.stable(sequence);
        assertThat(retention.bytes()).isLessThanOrEqualTo(100_000);
      }
    }
    assertThat(all(idle, 1).forgotten()).isTrue();
    for (ChangeLog log : logs) {
      ChangeLog.Excerpt early = all(log, 1);
      assertThat(early.forgotten()).isTrue();
      assertThat(early.next()).isBetween(4000L, 5000L);
      List<Long> told = numbers(all(log, early.next()));
      assertThat(told).startsWith(early.next()).endsWith(5000L).isSorted();
      assertThat(told).hasSize((int) (5001 - early.next()));
    }
  }

  @Test
  void excerptsOfAnySizeTellEachChangeOnce() {
    ChangeLog log = new ChangeLog(new ChangeRetention(1 << 20, false));
    for (int sequence = 1; sequence <= 3000; sequence++) {
      if (sequence % 7 == 0) {
        log.skip(sequence, 1);
      } else {
        put(log, sequence, 1, sequence % 90);
      }
    }
    log.stable(3000);
    for (int maxBytes : new int[] {1, 100, 5000, 100_000}) {
      List<Long> told = new ArrayList<>();
      for (long next = 1; next <= 3000; ) {
        ChangeLog.Excerpt excerpt = log.read(next, ChangeQuery.NO_LIMIT, maxBytes);
        told.addAll(numbers(excerpt));
        assertThat(excerpt.next()).isGreaterThan(next);
        next = excerpt.next();
      }
      assertThat(told).hasSize(3000 - 3000 / 7).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void aHistoryThatBeginsAnewGivesItsBytesBack() {
    ChangeRetention retention = new ChangeRetention(1 << 20, false);
    ChangeLog log = new ChangeLog(retention);
    put(log, 1, 1, 100);
    log.restart(50, 7, 50);
    assertThat(retention.bytes()).isZero();
    assertThat(log.lastStable()).isEqualTo(50);
    assertThat(log.term(50)).isEqualTo(7);
    assertThat(all(log, 50).forgotten()).isTrue();
    put(log, 51, 8, 100);
    log.stable(51);
    assertThat(numbers(all(log, 51))).containsExactly(51L);
  }

  @Test
  void historiesThatBeginAnewLeaveNothingBehind() {
    ChangeRetention retention = new ChangeRetention(1 << 20, false);
    ChangeLog kept = new ChangeLog(retention);
    put(kept, 1, 1, 100);
    ChangeLog log = new ChangeLog(retention);
    for (int again = 0; again < 1000; again++) {
      log.restart(0, 0, 0);
      put(log, 1, 1, 100);
    }
    assertThat(retention.blocks()).isEqualTo(2);
    log.restart(0, 0, 0);
    assertThat(retention.blocks()).isEqualTo(1);
    kept.stable(1);
    assertThat(numbers(all(kept, 1))).containsExactly(1L);
  }

  @Test
  void aNodeWithoutABudgetRetainsNothing() {
    ChangeRetention retention = new ChangeRetention(0, true);
    ChangeLog log = new ChangeLog(retention);
    put(log, 1, 1, 100);
    log.stable(1);
    assertThat(retention.bytes()).isZero();
    assertThat(retention.retainsPrevious()).isFalse();
    assertThat(all(log, 1).forgotten()).isTrue();
    assertThat(all(log, 2).forgotten()).isFalse();
  }
}
