package dev.headrace.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class ThroughputTest {

  @Test
  void theCountsOfAllThreadsAddUp() {
    Meter.Shared shared = new Meter.Shared(2);
    Meter one = shared.meter(0);
    Meter other = shared.meter(1);
    one.count();
    other.count();
    other.count();
    assertThat(shared.total()).isEqualTo(3);
  }

  @Test
  void countingTellsWhenTheMeasurementIsOver() {
    Meter.Shared shared = new Meter.Shared(1);
    Meter meter = shared.meter(0);
    assertThat(meter.count()).isTrue();
    shared.stop();
    assertThat(meter.count()).isFalse();
    assertThat(meter.stopped()).isTrue();
  }

  @Test
  void aTaskThatFailsEndsTheMeasurementAtOnceWithItsCause() {
    Throughput.Schedule anHour = new Throughput.Schedule(3_600_000, 1, 3_600_000);
    assertThatThrownBy(
            () ->
                Throughput.measure(
                    2,
                    anHour,
                    meter -> {
                      throw new IOException("the cluster is gone");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage("the cluster is gone");
  }
}
