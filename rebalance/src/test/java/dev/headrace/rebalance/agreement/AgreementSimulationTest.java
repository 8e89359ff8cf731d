package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Agreements under faults, from seeds. Replay one with {@code -Dheadrace.seed=N}, run more with
 * {@code -Dheadrace.seeds=N}, from {@code -Dheadrace.from=N} on.
 */
final class AgreementSimulationTest {

  private static final int SEEDS = Integer.getInteger("headrace.seeds", 1000);
  private static final Long ONLY = Long.getLong("headrace.seed");

  private final TreeMap<String, Integer> seen = new TreeMap<>();
  private int learned;

  @Test
  void everyClusterEndsWithOneTableWhateverHappens() {
    runSeeds(Simulation::wild, SEEDS);
    if (ONLY == null) {
      assertEverythingHappened();
    }
  }

  @Test
  void itDoesSoWhenMembersTellEachOtherOfTables() {
    runSeeds(Simulation::talkative, SEEDS / 2);
    if (ONLY == null) {
      assertThat(learned).as("tables that came from another than the coordinator").isPositive();
    }
  }

  private void runSeeds(LongFunction<Simulation> simulations, int seeds) {
    long first = ONLY == null ? Long.getLong("headrace.from", 0) : ONLY;
    long end = ONLY == null ? first + seeds : ONLY + 1;
    for (long seed = first; seed < end; seed++) {
      try {
        live(simulations.apply(seed));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "seed "
                + seed
                + " fails; replay it with: ./mvnw -pl rebalance -am test"
                + " -Dtest=AgreementSimulationTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dheadrace.seed="
                + seed,
            e);
      }
    }
  }

  private void assertEverythingHappened() {
    // What never happened was not tested.
    assertThat(seen.keySet())
        .contains(
            "written",
            "unwritten",
            "refused",
            "left",
            "suspended",
            "waited",
            "taken back",
            "two clusters",
            "rose to a newer protocol",
            "too old for the protocol",
            "clients",
            "changed owners",
            "succeeded a coordinator",
            "moved everything off a leaver");
  }

  private void live(Simulation simulation) {
    int actions = 5 + simulation.random.nextInt(25);
    boolean writesEarly = simulation.random.nextInt(3) > 0;
    simulation.start(1);
    for (int i = 0; i < actions; i++) {
      act(simulation);
      simulation.run(simulation.random.nextInt(i % 3 == 0 ? 1500 : 150));
      if (i == 4 && writesEarly) {
        simulation.up().forEach(node -> node.agreement.requestFirstWrite(node.nowNanos()));
      }
    }
    simulation.heal();
    calmDown(simulation);
    checkAgreement(simulation);
    note(simulation);
    learned += simulation.learned;
    writeAtTheEnd(simulation);
  }

  private static void act(Simulation simulation) {
    List<AgreementNode> up = simulation.up();
    int action = simulation.random.nextInt(30);
    if (action < 6 || up.isEmpty()) {
      if (up.size() < 9) {
        simulation.start(simulation.random.nextInt(4) == 0 ? 0 : 1);
      }
      return;
    }
    AgreementNode node = up.get(simulation.random.nextInt(up.size()));
    if (action < 8) {
      simulation.crash(node);
    } else if (action < 10) {
      simulation.divide(2);
    } else if (action < 13) {
      simulation.divide(1);
    } else if (action < 15) {
      simulation.leave(node);
    } else if (action < 17) {
      simulation.pause(node, 100 + simulation.random.nextInt(4000));
    } else if (action < 19) {
      simulation.cutLink(node.id(), up.get(simulation.random.nextInt(up.size())).id());
    } else if (action < 20) {
      simulation.restoreLinks();
      simulation.brokenPairs.clear();
    } else if (action < 29) {
      int changes = simulation.random.nextInt(40);
      for (int i = 0; i < changes; i++) {
        simulation.proposeAnything();
        simulation.run(simulation.random.nextInt(5));
      }
    } else if (simulation.random.nextInt(3) == 0) {
      node.agreement.requestFirstWrite(node.nowNanos());
    } else {
      disturb(simulation, node);
    }
  }

  /** What should concern nobody else. */
  private static void disturb(Simulation simulation, AgreementNode node) {
    List<AgreementNode> up = simulation.up();
    AgreementNode other = up.get(simulation.random.nextInt(up.size()));
    if (simulation.random.nextInt(3) == 0) {
      simulation.foreigner();
    } else if (simulation.random.nextBoolean()) {
      simulation.hang(node, simulation.random.nextInt(6_000));
    } else if (other != node) {
      simulation.brokenPairs.add(Set.of(node.id(), other.id()));
    }
  }

  /** Nothing goes wrong any more, and whoever wants to leave is helped to. */
  private static void calmDown(Simulation simulation) {
    simulation.run(8_000);
    for (int i = 0; i < 40; i++) {
      simulation.proposeAnything();
      simulation.run(50);
    }
    simulation.run(2_000);
  }

  private static void checkAgreement(Simulation simulation) {
    List<AgreementNode> up = simulation.up();
    boolean anyWritten = up.stream().anyMatch(node -> node.table != null && node.table.written());
    boolean anyHolder = up.stream().anyMatch(node -> node.member.holdsSegments() && !node.leaving);
    // A part that must not go on takes nobody in either.
    boolean goesOn = anyHolder && up.stream().noneMatch(AgreementNode::isSuspended);
    Set<Long> histories = new HashSet<>();
    for (AgreementNode node : up) {
      if (goesOn) {
        assertThat(node.table).as("%s of %s has a table", node, up).isNotNull();
        assertThat(node.table.written()).as("%s of %s", node, up).isEqualTo(anyWritten);
        assertThat(node.table.member(node.id())).isNotNull();
        assertThat(node.serves()).as("%s of %s serves", node, up).isTrue();
        assertThat(node.table.header().protocol())
            .as("%s speaks what all know", node)
            .isEqualTo(known(node.table));
        histories.add(node.table.header().firstWrite());
      }
    }
    for (long firstWrite : histories) {
      Set<SegmentTable> tables =
          up.stream()
              .filter(node -> node.table != null && node.table.header().firstWrite() == firstWrite)
              .map(node -> node.table)
              .collect(Collectors.toSet());
      assertThat(tables).as("one table of first write %d", firstWrite).hasSize(1);
      assertThat(tables.stream().map(SegmentTable::stamp).distinct()).hasSize(1);
      if (firstWrite != 0 && simulation.split == SplitPolicy.DENY) {
        assertThat(tables).containsExactly(simulation.invariants.head(firstWrite));
        simulation.invariants.checkNothingWaitsForTheLiving(firstWrite);
      }
    }
    if (!anyWritten && goesOn) {
      assertThat(histories).hasSize(1);
    }
    if (histories.size() > 1) {
      assertThat(up).anySatisfy(node -> assertThat(node.warnings).isNotEmpty());
    }
  }

  private static void writeAtTheEnd(Simulation simulation) {
    List<AgreementNode> up = simulation.up();
    if (up.stream().noneMatch(node -> node.member.holdsSegments() && !node.leaving)) {
      return;
    }
    up.forEach(node -> node.agreement.requestFirstWrite(node.nowNanos()));
    simulation.run(3_000);
    if (simulation.up().stream().noneMatch(AgreementNode::isSuspended)) {
      assertThat(simulation.up())
          .allSatisfy(node -> assertThat(node.table.written()).as("%s", node).isTrue());
    }
    checkAgreement(simulation);
  }

  private static int known(SegmentTable table) {
    return Stream.concat(table.members().stream(), table.absent().stream())
        .mapToInt(member -> member.versions().newest())
        .min()
        .orElseThrow();
  }

  private void note(Simulation simulation) {
    Set<Long> firstWrites = new HashSet<>();
    see("changed owners", simulation.invariants.steps > 20);
    see("succeeded a coordinator", simulation.invariants.successions > 1);
    see("waited", simulation.invariants.waits > 0);
    see("taken back", simulation.invariants.returns > 0);
    for (AgreementNode node : simulation.nodes) {
      if (node.refusal != null) {
        see(node.refusal.contains("gave this node up") ? "excluded" : "refused", true);
        see("too old for the protocol", node.refusal.contains("of the protocol between nodes"));
      }
      see("left", node.hasLeft);
      see("moved everything off a leaver", node.hasLeft && simulation.movesSegments);
      see("suspended", node.isUp() && node.isSuspended());
      if (node.isUp() && node.table != null) {
        firstWrites.add(node.table.header().firstWrite());
        see(node.table.written() ? "written" : "unwritten", true);
        see("rose to a newer protocol", speaksNewer(node.table));
        see("clients", !node.member.holdsSegments());
      }
    }
    see("two clusters", firstWrites.size() > 1);
  }

  /** Whether older nodes have gone, and all others know a newer version than those did. */
  private static boolean speaksNewer(SegmentTable table) {
    return table.written() && table.header().protocol() > ProtocolVersions.OWN.newest();
  }

  private void see(String what, boolean happened) {
    if (happened) {
      seen.merge(what, 1, Integer::sum);
    }
  }
}
