package dev.headrace.replication.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.NodeId;
import org.junit.jupiter.api.Test;

/** How much patience nodes get. */
class HedgingTest {
  private static final NodeId ONE = new NodeId(0, 1);
  private static final NodeId TWO = new NodeId(0, 2);

  private final Hedging hedging = new Hedging();

  @Test
  void whoNeverAnsweredGetsLittle() {
    hedging.useful(ONE);
    assertThat(hedging.delayNanos(ONE)).isEqualTo(Hedging.MIN_NANOS);
  }

  @Test
  void whoAnswersAfterAllGetsMoreUpToABound() {
    long before = hedging.delayNanos(ONE);
    for (int i = 0; i < 100; i++) {
      hedging.needless(ONE);
      assertThat(hedging.delayNanos(ONE)).isGreaterThanOrEqualTo(before);
      before = hedging.delayNanos(ONE);
    }
    assertThat(before).isEqualTo(Hedging.MAX_NANOS);
    assertThat(hedging.delayNanos(TWO)).as("of another").isEqualTo(Hedging.MIN_NANOS);
  }

  @Test
  void whoStopsAnsweringLosesItSoon() {
    for (int i = 0; i < 100; i++) {
      hedging.needless(ONE);
    }
    for (int i = 0; i < 4; i++) {
      hedging.useful(ONE);
    }
    assertThat(hedging.delayNanos(ONE)).isEqualTo(Hedging.MIN_NANOS);
  }
}
