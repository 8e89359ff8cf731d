package dev.headrace.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class SamplesTest {

  @Test
  void theMedianIsTheMiddleOne() {
    assertThat(Samples.median(9, 1, 5)).isEqualTo(5);
  }

  @Test
  void theMedianOfAnEvenCountIsTheMeanOfTheMiddleTwo() {
    assertThat(Samples.median(9, 1, 5, 7)).isEqualTo(6);
  }

  @Test
  void theMedianLeavesTheSamplesInOrder() {
    double[] samples = {3, 1, 2};
    assertThat(Samples.median(samples)).isEqualTo(2);
    assertThat(samples).containsExactly(3, 1, 2);
  }

  @Test
  void theMeanCountsEverySample() {
    assertThat(Samples.mean(0, 0, 9)).isEqualTo(3);
  }

  @Test
  void nothingHasNoMiddle() {
    assertThatThrownBy(Samples::median).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(Samples::mean).isInstanceOf(IllegalArgumentException.class);
  }
}
