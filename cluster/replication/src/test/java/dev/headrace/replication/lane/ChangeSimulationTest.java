package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChangeSimulationTest {
  private static final int SEEDS = Integer.getInteger("headrace.seeds", 400);

  @Test
  void noChangeIsLostOrToldTwiceWhateverFails() {
    Long only = Long.getLong("headrace.seed");
    long first = only == null ? Long.getLong("headrace.from", 1) : only;
    long last = only == null ? first + SEEDS - 1 : only;
    int told = 0;
    int replaced = 0;
    int resumed = 0;
    for (long seed = first; seed <= last; seed++) {
      WriteSimulation simulation = new WriteSimulation(seed, LaneWorkload.CACHES);
      try {
        simulation.run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "Seed "
                + seed
                + " fails. Replay: ./mvnw -o -q -pl cluster/replication -am test"
                + " -Dtest=ChangeSimulationTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dheadrace.seed="
                + seed,
            e);
      }
      for (SimulatedChanges reader : simulation.readers()) {
        told += reader.told;
        replaced += reader.replaced;
        resumed += reader.resumed;
      }
    }
    if (only == null) {
      assertThat(told).as("changes told").isGreaterThan(20 * SEEDS);
      assertThat(replaced).as("ranges replaced").isPositive();
      assertThat(resumed).as("streams resumed").isGreaterThan(SEEDS);
    }
  }
}
