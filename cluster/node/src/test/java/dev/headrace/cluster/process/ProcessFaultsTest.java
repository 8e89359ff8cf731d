package dev.headrace.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.process.Findings.Count;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes in processes of their own that are killed, paused and restarted while others write and
 * stream; see the package for how it is judged.
 *
 * <p>By default three faults happen, each to the node that decides at that moment. {@code
 * -Dheadrace.process=full} adds others, longer ones, and a restart of all nodes, one after the
 * other. {@code -Dheadrace.process.minutes=N} lets random ones happen for so long, from a seed that
 * {@code -Dheadrace.seed=N} repeats; what the processes make of it differs from run to run.
 */
final class ProcessFaultsTest {
  private static final long MINUTES = Long.getLong("headrace.process.minutes", 0);
  private static final boolean FULL = "full".equals(System.getProperty("headrace.process"));
  private static final Duration LONG_PAUSE = Duration.ofSeconds(30);
  private static final Logger LOG = LoggerFactory.getLogger(ProcessFaultsTest.class);

  /** The paced stream takes some seconds, so that faults meet it in its middle. */
  private static final List<Integer> STREAMED_PER_TURN = List.of(400, 10_000);

  @Test
  void nothingIsLostWhileNodesAreKilledPausedAndRestarted(@TempDir Path meeting) throws Exception {
    try (Fleet fleet = new Fleet(meeting)) {
      try {
        run(fleet);
      } catch (AssertionError | Exception e) {
        throw new AssertionError(e.getMessage() + "\nLogs of the processes: " + fleet.logs(), e);
      }
    }
  }

  private static void run(Fleet fleet) throws Exception {
    List<Child> victims = new ArrayList<>();
    for (String name : List.of("one", "two", "three")) { // the oldest decides
      Child victim = fleet.startHolder(name);
      victim.awaitJoined();
      victims.add(victim);
    }
    List<Child> workers = List.of(fleet.startHolder("holder"), fleet.startClient("client"));
    for (Child worker : workers) {
      worker.awaitJoined();
    }
    begin(fleet, workers);
    Faults faults = new Faults(fleet, workers, victims);
    faults.recover();
    if (MINUTES > 0) {
      faultsForAWhile(faults);
    } else if (FULL) {
      allFaults(faults);
    } else {
      faults.kill(0, false);
      faults.pauseUntilGivenUp(1, Duration.ZERO);
      faults.restart(2);
    }
    end(fleet, workers);
  }

  private static void begin(Fleet fleet, List<Child> workers) throws Exception {
    workers.get(0).ask("load");
    fleet.awaitBalanced();
    for (int i = 0; i < workers.size(); i++) {
      workers.get(i).ask("write " + i);
      workers.get(i).ask("stream " + STREAMED_PER_TURN.get(i));
    }
    for (Child member : fleet.members()) {
      member.ask("read");
    }
  }

  private static void allFaults(Faults faults) throws Exception {
    faults.kill(0, false);
    faults.pauseUntilGivenUp(1, LONG_PAUSE);
    faults.pauseBriefly(2);
    faults.kill(2, true);
    for (int victim = 0; victim < 3; victim++) {
      faults.restart(victim);
    }
  }

  private static void faultsForAWhile(Faults faults) throws Exception {
    long seed = Long.getLong("headrace.seed", System.nanoTime());
    LOG.info("Faults of -Dheadrace.seed=" + seed);
    Random random = new Random(seed);
    long endNanos = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
    while (System.nanoTime() - endNanos < 0) {
      faults.any(random);
    }
  }

  private static void end(Fleet fleet, List<Child> workers) throws Exception {
    for (Child member : fleet.members()) {
      member.ask("rest");
    }
    fleet.awaitBalanced();
    for (Child member : fleet.members()) {
      member.ask("verify");
      fleet.note(member.name() + " has seen " + member.ask("report"));
    }
    fleet.watch(Duration.ZERO);
    long acrossChanges = 0;
    for (Child worker : workers) {
      Map<Count, Long> counts = Findings.parse(worker.ask("report"));
      assertThat(counts.get(Count.ACKNOWLEDGED))
          .as("writes of %s", worker.name())
          .isGreaterThan(1000);
      acrossChanges += counts.get(Count.ACROSS_CHANGES);
    }
    assertThat(acrossChanges).as("streams during which the table changed").isPositive();
  }
}
