package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TickPaceTest {
  private static final long MILLI = 1_000_000L;

  private long nowNanos = Long.MAX_VALUE - 30 * MILLI; // the clock may overflow
  private final TickPace pace = new TickPace(nowNanos);

  private int ticksAfter(long millis) {
    nowNanos += millis * MILLI;
    return pace.begin(nowNanos);
  }

  @Test
  void whatCanWaitHasATurnEvery20Milliseconds() {
    assertThat(pace.begin(nowNanos)).isEqualTo(1);
    assertThat(pace.isTurnOfAll(false)).isTrue();
    int turns = 0;
    for (int i = 0; i < 40; i++) {
      assertThat(ticksAfter(5)).isEqualTo(1);
      turns += pace.isTurnOfAll(false) ? 1 : 0;
    }
    assertThat(turns).isEqualTo(10);
  }

  @Test
  void everythingHasATurnInAHurriedTick() {
    pace.begin(nowNanos);
    for (int i = 0; i < 3; i++) {
      ticksAfter(5);
      assertThat(pace.isTurnOfAll(true)).isTrue();
    }
    ticksAfter(5);
    assertThat(pace.isTurnOfAll(false)).as("just after it had one").isFalse();
  }

  @Test
  void aLateTickStandsForSeveralButNotForAPause() {
    pace.begin(nowNanos);
    assertThat(ticksAfter(7)).isEqualTo(1);
    assertThat(ticksAfter(10)).isEqualTo(2);
    assertThat(ticksAfter(21)).isEqualTo(4);
    assertThat(ticksAfter(10_000)).isEqualTo(4);
    assertThat(ticksAfter(0)).isEqualTo(1);
  }

  @Test
  void onlyWhatIsHurriedIsWokenEvery5Milliseconds() {
    assertThat(TickPace.nextNanos(true)).isEqualTo(5 * MILLI);
    assertThat(TickPace.nextNanos(false)).isEqualTo(20 * MILLI);
  }
}
