package dev.headrace.replication.repair;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {
  private static final long MILLIS = 1_000_000L;

  @Test
  void inASecondAboutSoMuchIsHashedAsIsAllowed() {
    Pace pace = new Pace(100 << 20);
    long hashed = 0;
    for (int millis = 0; millis < 1_000; millis += 5) {
      pace.tick(millis * MILLIS);
      while (pace.permits()) {
        pace.spend(1 << 18);
        hashed += 1 << 18;
      }
    }
    assertThat(hashed).isBetween(95L << 20, 110L << 20);
  }

  @Test
  void anEmptySegmentCostsSomethingToo() {
    Pace pace = new Pace(Pace.LEAST_BYTES * 20);
    pace.tick(0);
    assertThat(pace.permits()).isTrue();
    pace.spend(0);
    assertThat(pace.permits()).isFalse();
    pace.spend(0);
    pace.tick(50 * MILLIS);
    assertThat(pace.permits()).as("what was overdrawn is paid back").isFalse();
    pace.tick(100 * MILLIS);
    assertThat(pace.permits()).isTrue();
  }

  @Test
  void aSlowPaceIsAPaceToo() {
    Pace pace = new Pace(1);
    pace.tick(0);
    pace.spend(0);
    long millis = 0;
    while (!pace.permits() && millis < 10_000_000) {
      pace.tick((millis += 5) * MILLIS);
    }
    assertThat(millis).isEqualTo(1_000 * Pace.LEAST_BYTES);
  }
}
