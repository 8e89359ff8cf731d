package dev.headrace.benchmarks.http.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class LatencyHistogramTest {

  private static LatencyHistogram thousand() {
    LatencyHistogram histogram = new LatencyHistogram();
    for (int millis = 1; millis <= 1_000; millis++) {
      histogram.record(TimeUnit.MILLISECONDS.toNanos(millis));
    }
    return histogram;
  }

  @Test
  void percentilesAreRightToThreeDigits() {
    LatencyHistogram histogram = thousand();
    assertThat(histogram.count()).isEqualTo(1_000);
    assertThat(histogram.millis(50)).isEqualTo(500, within(0.5));
    assertThat(histogram.millis(99)).isEqualTo(990, within(1.0));
    assertThat(histogram.millis(99.9)).isEqualTo(999, within(1.0));
    assertThat(histogram.maxMillis()).isEqualTo(1_000, within(1.0));
    assertThat(histogram.meanMillis()).isEqualTo(500.5, within(0.6));
  }

  @Test
  void whatIsSentAsTextIsTheSame() {
    LatencyHistogram copy = LatencyHistogram.decoded(thousand().encoded());
    assertThat(copy.count()).isEqualTo(1_000);
    assertThat(copy.millis(99.9)).isEqualTo(thousand().millis(99.9));
    assertThat(copy.maxMillis()).isEqualTo(thousand().maxMillis());
  }

  @Test
  void twoTogetherAreAllLatencies() {
    LatencyHistogram both = thousand();
    both.add(LatencyHistogram.decoded(thousand().encoded()));
    assertThat(both.count()).isEqualTo(2_000);
    assertThat(both.millis(50)).isEqualTo(500, within(0.5));
  }

  @Test
  void whatIsLongerThanAnHourCountsAsAnHour() {
    LatencyHistogram histogram = new LatencyHistogram();
    histogram.record(TimeUnit.HOURS.toNanos(3));
    assertThat(histogram.maxMillis()).isEqualTo(3_600_000, within(4_000.0));
  }
}
