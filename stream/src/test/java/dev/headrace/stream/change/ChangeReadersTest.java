package dev.headrace.stream.change;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChangeReadersTest {
  private long nowNanos = 100;
  private final ChangeReaders readers = new ChangeReaders(() -> nowNanos);

  @Test
  void theSlowestCountsUntilItHasEverything() {
    assertThat(readers.lagNanos()).isZero();
    ChangeReaders.Lag one = readers.begin();
    ChangeReaders.Lag other = readers.begin();
    assertThat(readers.running()).isEqualTo(2);
    nowNanos += 5;
    assertThat(readers.lagNanos()).as("neither has anything").isEqualTo(5);
    one.level();
    other.level();
    assertThat(readers.lagNanos()).isZero();
    one.behind();
    nowNanos += 10;
    one.behind();
    other.behind();
    nowNanos += 1;
    assertThat(readers.lagNanos()).isEqualTo(11);
    one.end();
    assertThat(readers.lagNanos()).isEqualTo(1);
    assertThat(readers.running()).isEqualTo(1);
  }
}
