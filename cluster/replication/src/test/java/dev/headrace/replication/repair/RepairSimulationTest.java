package dev.headrace.replication.repair;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RepairSimulationTest {
  private static final int SEEDS = Integer.getInteger("headrace.seeds", 60);

  @Test
  void replicasAreEqualAfterARepairWhateverHappened() {
    Long only = Long.getLong("headrace.seed");
    long first = only == null ? 1 : only;
    long last = only == null ? SEEDS : only;
    long found = 0;
    long damages = 0;
    for (long seed = first; seed <= last; seed++) {
      RepairSimulation simulation = new RepairSimulation(seed);
      try {
        simulation.run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "Seed "
                + seed
                + " fails. Replay: ./mvnw -o -q -pl cluster/replication -am test"
                + " -Dtest=RepairSimulationTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dheadrace.seed="
                + seed,
            e);
      }
      found += simulation.found();
      damages += simulation.damages();
    }
    if (only == null) {
      assertThat(damages).as("entries damaged").isGreaterThan(SEEDS);
      assertThat(found).as("segments found to differ").isGreaterThan(SEEDS);
    }
  }
}
