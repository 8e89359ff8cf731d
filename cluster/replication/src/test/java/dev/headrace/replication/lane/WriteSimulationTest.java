package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WriteSimulationTest {
  private static final int SEEDS = Integer.getInteger("headrace.seeds", 1000);

  @Test
  void everyAnswerIsExplainedAndAllOwnersEndUpEqualWhateverFails() {
    Long only = Long.getLong("headrace.seed");
    long first = only == null ? Long.getLong("headrace.from", 1) : only;
    long last = only == null ? first + SEEDS - 1 : only;
    int[] sums = new int[8];
    for (long seed = first; seed <= last; seed++) {
      WriteSimulation simulation = new WriteSimulation(seed);
      try {
        simulation.run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "Seed "
                + seed
                + " fails. Replay: ./mvnw -o -q -pl cluster/replication -am test"
                + " -Dtest=WriteSimulationTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dheadrace.seed="
                + seed,
            e);
      }
      for (int i = 0; i < sums.length; i++) {
        sums[i] += simulation.counts()[i];
      }
    }
    if (only == null) {
      // Most operations must come to an end, and faults must leave some without one.
      assertThat(sums[0]).as("operations with a result").isGreaterThan(40 * SEEDS);
      assertThat(sums[1]).as("operations of unknown outcome").isPositive();
      assertThat(sums[2]).as("operations refused").isPositive();
      assertThat(sums[3]).as("migrations committed").isGreaterThan(SEEDS);
      assertThat(sums[4]).as("copies failed").isPositive();
      assertThat(sums[5]).as("segments of which all copies were lost").isLessThan(SEEDS);
      assertThat(sums[6]).as("operations on several keys").isGreaterThan(SEEDS);
      assertThat(sums[7]).as("operations by processors").isGreaterThan(SEEDS);
    }
  }
}
