package dev.headrace.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** When a process gives up polling for the sake of others, and when it polls again. */
class CpuContentionTest {
  private static final long POLL_NANOS = 100_000;
  private static final long PERIOD_NANOS = 200_000_000;

  private double machine;
  private double process;
  private int looks;
  private long nowNanos = Long.MAX_VALUE - PERIOD_NANOS; // the clock's sign changes meanwhile

  private final CpuContention contention =
      new CpuContention(
          () -> {
            looks++;
            return machine;
          },
          () -> process,
          nowNanos);
  private final LongSupplier poll = contention.allowing(POLL_NANOS);

  private long pollAfterSeconds(double ofAll, double ofThisProcess) {
    machine = ofAll;
    process = ofThisProcess;
    for (int i = 0; i < 10; i++) {
      contention.look(nowNanos);
      nowNanos += PERIOD_NANOS;
    }
    return poll.getAsLong();
  }

  @Test
  void aProcessThatUsesAllCoresAlonePolls() {
    assertThat(pollAfterSeconds(1.0, 0.97)).isEqualTo(POLL_NANOS);
  }

  @Test
  void besideOthersThatComputeNobodyPolls() {
    assertThat(pollAfterSeconds(1.0, 0.5)).isZero();
  }

  @Test
  void othersOnAMachineWithIdleCoresAreNoReason() {
    assertThat(pollAfterSeconds(0.6, 0.3)).isEqualTo(POLL_NANOS);
  }

  @Test
  void thatTheProcessNeedsLessOnceItSleepsDoesNotMakeItPollAgain() {
    assertThat(pollAfterSeconds(1.0, 0.5)).isZero();
    assertThat(pollAfterSeconds(0.7, 0.2)).isZero();
  }

  @Test
  void whenTheOthersHaveGoneItPollsAgain() {
    assertThat(pollAfterSeconds(1.0, 0.5)).isZero();
    assertThat(pollAfterSeconds(0.9, 0.9)).isEqualTo(POLL_NANOS);
  }

  @Test
  void oneGlanceAtABurstDecidesNothing() {
    assertThat(pollAfterSeconds(0.9, 0.9)).isEqualTo(POLL_NANOS);
    machine = 1.0;
    process = 0.85;
    contention.look(nowNanos);
    assertThat(poll.getAsLong()).isEqualTo(POLL_NANOS);
  }

  @Test
  void whatTheSystemCannotTellIsNoReason() {
    assertThat(pollAfterSeconds(-1, 0.5)).isEqualTo(POLL_NANOS);
    assertThat(pollAfterSeconds(1, Double.NaN)).isEqualTo(POLL_NANOS);
  }

  @Test
  void manyNodesLookOnceInAPeriod() {
    for (int node = 0; node < 20; node++) {
      contention.look(nowNanos + node);
    }
    assertThat(looks).isEqualTo(1);
  }
}
