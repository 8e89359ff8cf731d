package dev.headrace.benchmarks.http.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

final class RequestScheduleTest {

  @Test
  void requestsAreDueAtFixedIntervals() {
    RequestSchedule schedule = RequestSchedule.lasting(20_000, 64, 60_000);
    assertThat(schedule.requests()).isEqualTo(1_200_000);
    assertThat(schedule.dueNanos(0)).isZero();
    assertThat(schedule.dueNanos(1)).isEqualTo(50_000);
    assertThat(schedule.dueNanos(1_199_999)).isEqualTo(59_999_950_000L);
  }

  @Test
  void connectionsTakeTurns() {
    RequestSchedule schedule = new RequestSchedule(1_000, 3, 10);
    assertThat(schedule.connection(0)).isZero();
    assertThat(schedule.connection(4)).isEqualTo(1);
    assertThat(schedule.connection(8)).isEqualTo(2);
  }

  @Test
  void beforeTheBeginningNothingIsDueAndAfterTheEndNoMore() {
    RequestSchedule schedule = new RequestSchedule(1_000, 2, 10);
    assertThat(schedule.dueBy(-1)).isZero();
    assertThat(schedule.dueBy(0)).isEqualTo(1);
    assertThat(schedule.dueBy(Long.MAX_VALUE / 2_000)).isEqualTo(10);
  }

  @Property
  void aRequestIsDueFromItsTimeOn(
      @ForAll @IntRange(min = 1, max = 1_000_000) int perSecond,
      @ForAll @LongRange(min = 0, max = 10_000_000) long number) {
    RequestSchedule schedule = new RequestSchedule(perSecond, 64, number + 2);
    long dueNanos = schedule.dueNanos(number);
    assertThat(schedule.dueBy(dueNanos)).isGreaterThan(number);
    assertThat(schedule.dueBy(dueNanos - 1)).isLessThanOrEqualTo(number);
  }

  @Test
  void withoutARateEverythingIsDueAtOnce() {
    RequestSchedule schedule = new RequestSchedule(0, 64, 1_000);
    assertThat(schedule.dueBy(0)).isEqualTo(1_000);
    assertThat(schedule.dueNanos(999)).isZero();
  }

  @Test
  void nothingToDoIsNoSchedule() {
    assertThatThrownBy(() -> new RequestSchedule(1, 1, 0)).hasMessageContaining("at least one");
    assertThatThrownBy(() -> new RequestSchedule(-1, 1, 1)).hasMessageContaining("negative");
  }
}
