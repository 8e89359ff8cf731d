package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChangeSimulationTest {
  private static final int SEEDS = Integer.getInteger("headrace.seeds", 400);

  @Test
  void noChangeIsLostOrToldTwiceWhateverFails() {
    Counts counts = run("noChangeIsLostOrToldTwiceWhateverFails", false);
    if (!replays()) {
      assertThat(counts.told).as("changes told").isGreaterThan(20 * SEEDS);
      assertThat(counts.replaced).as("ranges replaced").isPositive();
      assertThat(counts.resumed).as("streams resumed").isGreaterThan(SEEDS);
    }
  }

  /** What nobody writes to again must be told in full, too, whatever a dying primary had begun. */
  @Test
  void quietSegmentsAreToldInFullWhateverFails() {
    Counts counts = run("quietSegmentsAreToldInFullWhateverFails", true);
    if (!replays()) {
      assertThat(counts.told).as("changes told").isGreaterThan(SEEDS);
    }
  }

  private static boolean replays() {
    return Long.getLong("headrace.seed") != null;
  }

  private static final class Counts {
    private int told;
    private int replaced;
    private int resumed;
  }

  private static Counts run(String test, boolean quiet) {
    Long only = Long.getLong("headrace.seed");
    long first = only == null ? Long.getLong("headrace.from", 1) : only;
    long last = only == null ? first + SEEDS - 1 : only;
    Counts counts = new Counts();
    for (long seed = first; seed <= last; seed++) {
      WriteSimulation simulation = new WriteSimulation(seed, LaneWorkload.CACHES, quiet);
      try {
        simulation.run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "Seed "
                + seed
                + " fails. Replay: ./mvnw -o -q -pl cluster/replication -am test"
                + " -Dtest=ChangeSimulationTest#"
                + test
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dheadrace.seed="
                + seed,
            e);
      }
      for (SimulatedChanges reader : simulation.readers()) {
        counts.told += reader.told;
        counts.replaced += reader.replaced;
        counts.resumed += reader.resumed;
      }
    }
    return counts;
  }
}
