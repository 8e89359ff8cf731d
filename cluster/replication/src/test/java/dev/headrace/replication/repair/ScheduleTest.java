package dev.headrace.replication.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScheduleTest {
  private static final int SEGMENTS = 10;

  @Test
  void everySegmentIsDueOncePerIntervalAndEvenlySpread() {
    Schedule schedule = new Schedule(1_000);
    Map<Integer, List<Long>> turns = new HashMap<>();
    for (long millis = 1_700_000_000_123L; millis < 1_700_000_003_123L; millis += 7) {
      for (int due = schedule.due(SEGMENTS, millis); due >= 0; ) {
        turns.computeIfAbsent(due, none -> new ArrayList<>()).add(millis);
        due = schedule.due(SEGMENTS, millis);
      }
    }
    assertThat(turns).hasSize(SEGMENTS);
    assertThat(turns.values())
        .allSatisfy(
            times -> {
              assertThat(times).hasSize(3);
              assertThat(times.get(1) - times.get(0)).isBetween(990L, 1_010L);
            });
  }

  @Test
  void nodesAgreeWhoseTurnItIs() {
    Schedule one = new Schedule(1_000);
    Schedule other = new Schedule(1_000);
    one.due(SEGMENTS, 5_000);
    other.due(SEGMENTS, 5_450);
    assertThat(drain(one, 5_750)).isEqualTo(List.of(0, 1, 2, 3, 4, 5, 6));
    assertThat(drain(other, 5_750)).isEqualTo(List.of(4, 5, 6));
  }

  @Test
  void afterALongPauseEverySegmentIsDueOnce() {
    Schedule schedule = new Schedule(1_000);
    schedule.due(SEGMENTS, 5_000);
    assertThat(drain(schedule, 95_000)).hasSize(SEGMENTS).doesNotHaveDuplicates();
  }

  @Test
  void withoutAnIntervalNothingIsEverDue() {
    Schedule schedule = new Schedule(0);
    assertThat(drain(schedule, 5_000)).isEmpty();
    assertThat(drain(schedule, 500_000)).isEmpty();
  }

  @Test
  void anEarlierTimeBeginsAnew() {
    Schedule schedule = new Schedule(1_000);
    schedule.due(SEGMENTS, 5_000);
    assertThat(drain(schedule, 2_000)).isEmpty();
    assertThat(drain(schedule, 2_100)).containsExactly(0);
  }

  private static List<Integer> drain(Schedule schedule, long millis) {
    List<Integer> due = new ArrayList<>();
    for (int next = schedule.due(SEGMENTS, millis); next >= 0; ) {
      due.add(next);
      next = schedule.due(SEGMENTS, millis);
    }
    return due;
  }
}
