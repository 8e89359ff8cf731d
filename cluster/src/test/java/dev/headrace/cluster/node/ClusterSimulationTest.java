package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;

/**
 * Whole clusters of the production code in one thread, each from a seed.
 *
 * <p>{@code -Dheadrace.seed=N} runs one seed alone, {@code -Dheadrace.seeds=N} that many.
 */
class ClusterSimulationTest {
  private static final int USUAL_SEEDS = 1000;

  @Test
  void nothingIsLostOrDoubledUnderAnySeed() {
    Long only = Long.getLong("headrace.seed");
    long first = only == null ? 1 : only;
    long count = only == null ? Integer.getInteger("headrace.seeds", USUAL_SEEDS) : 1;
    for (long seed = first; seed < first + count; seed++) {
      try {
        new SimulatedRun(seed).run();
      } catch (AssertionError | RuntimeException e) {
        fail(
            "Seed "
                + seed
                + " failed; replay it with ./mvnw test -pl cluster -am"
                + " -Dtest=ClusterSimulationTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dheadrace.seed="
                + seed,
            e);
      }
    }
  }
}
