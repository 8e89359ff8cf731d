package dev.headrace.benchmarks.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RateSearchTest {

  @Test
  void itFindsTheHighestRateThatHolds() {
    assertThat(new RateSearch(20_000, 20).highest(rate -> rate <= 7_400)).isEqualTo(7_250);
  }

  @Test
  void fewStepsComeNearFromBelow() {
    int found = new RateSearch(32_000, 5).highest(rate -> rate <= 7_400);
    assertThat(found).isBetween(6_250, 7_400);
  }

  @Test
  void whatAlwaysHoldsIsAsMuchAsThereIs() {
    assertThat(new RateSearch(10_100, 20).highest(rate -> true)).isEqualTo(10_000);
  }

  @Test
  void whatNeverHoldsIsNothing() {
    assertThat(new RateSearch(10_000, 20).highest(rate -> false)).isZero();
  }

  @Test
  void aRateIsTriedAgainBeforeItCountsAsTooHigh() {
    List<Integer> tried = new ArrayList<>();
    int found =
        new RateSearch(1_000, 10)
            .highest(
                rate -> {
                  tried.add(rate);
                  return tried.size() > 1;
                });
    assertThat(found).isEqualTo(1_000);
    assertThat(tried.get(0)).isEqualTo(tried.get(1));
  }
}
