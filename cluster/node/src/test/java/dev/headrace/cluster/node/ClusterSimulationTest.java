package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.headrace.cluster.node.simulation.Fault;
import dev.headrace.cluster.node.simulation.Life;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Whole clusters of the production code in one thread, each from a seed.
 *
 * <p>{@code -Dheadrace.seed=N} runs one seed alone, {@code -Dheadrace.seeds=N} that many, from
 * {@code -Dheadrace.from=N} on, until {@code -Dheadrace.failures=N} of them have failed; {@code
 * -Dheadrace.trace=true} tells what happens. {@code -Dheadrace.loops=N} gives all nodes N
 * connections of each kind to each other, instead of 1 to 4 as the seed says.
 */
class ClusterSimulationTest {
  private static final int USUAL_SEEDS = 500;

  /** A run ends with so many failing seeds. */
  private static final int MOST_FAILURES = Integer.getInteger("headrace.failures", 1);

  private static final Logger LOG = Logger.getLogger("dev.headrace");

  private static Level before;

  /** Nodes say what happens to them, and here that is thousands of lines. */
  @BeforeAll
  static void keepNodesQuiet() {
    before = LOG.getLevel();
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void letNodesSpeak() {
    LOG.setLevel(before);
  }

  @Test
  void nothingIsLostOrDoubledUnderAnyFault() {
    Long only = Long.getLong("headrace.seed");
    long first = only == null ? Long.getLong("headrace.from", 1) : only;
    long count = only == null ? Integer.getInteger("headrace.seeds", USUAL_SEEDS) : 1;
    Map<Fault, Integer> happened = new EnumMap<>(Fault.class);
    List<AssertionError> failures = new ArrayList<>();
    for (long seed = first; seed < first + count && failures.size() < MOST_FAILURES; seed++) {
      try {
        live(seed).forEach((fault, times) -> happened.merge(fault, times, Integer::sum));
      } catch (AssertionError e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      AssertionError all = failures.remove(0);
      failures.forEach(all::addSuppressed);
      throw all;
    }
    if (count >= USUAL_SEEDS) {
      Set<Fault> never = EnumSet.allOf(Fault.class);
      never.removeAll(happened.keySet());
      assertThat(never).as("faults that never happened, and so were not tested").isEmpty();
    }
  }

  @Test
  void aSeedIsAlwaysTheSameLife() {
    for (long seed = 1; seed <= 5; seed++) {
      Life one = new Life(seed, EngineInSimulation::on);
      Life other = new Life(seed, EngineInSimulation::on);
      one.live();
      other.live();
      assertThat(other.ending()).isEqualTo(one.ending());
    }
  }

  private static Map<Fault, Integer> live(long seed) {
    Life life = new Life(seed, EngineInSimulation::on);
    try {
      life.live();
    } catch (AssertionError | RuntimeException e) {
      fail(
          "Seed "
              + seed
              + " failed; replay it with ./mvnw test -pl cluster/node -am"
              + " -Dtest=ClusterSimulationTest -Dsurefire.failIfNoSpecifiedTests=false"
              + " -Dheadrace.seed="
              + seed,
          e);
    }
    return life.faults();
  }
}
