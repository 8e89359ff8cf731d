package dev.headrace.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.process.Findings.Count;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes with embedded nodes that get SIGTERM one after the other, while others write, read and
 * stream: as long as one node lives nothing is lost, and no read fails.
 */
final class ShutdownTest {

  @Test
  void nodesThatAreAskedToEndLeaveInOrder(@TempDir Path meeting) throws Exception {
    try (Fleet fleet = new Fleet(meeting)) {
      try {
        run(fleet);
      } catch (AssertionError | Exception e) {
        throw new AssertionError(e.getMessage() + "\nLogs of the processes: " + fleet.logs(), e);
      }
    }
  }

  private static void run(Fleet fleet) throws Exception {
    for (String name : List.of("one", "two", "three")) { // the oldest decides
      fleet.startHolder(name).awaitJoined();
    }
    Child client = fleet.startClient("client");
    client.awaitJoined();
    client.ask("load");
    fleet.awaitBalanced();
    client.ask("write 0");
    client.ask("write 1");
    client.ask("stream 2000");
    for (Child member : fleet.members()) {
      member.ask("read");
    }
    terminate(fleet, "one");
    terminate(fleet, "two"); // of two: the older one
    for (String next : List.of("four", "five")) { // as a routine deployment with two nodes
      Child started = fleet.startHolder(next);
      started.awaitJoined();
      fleet.awaitBalanced();
      started.ask("read");
      terminate(fleet, next.equals("four") ? "three" : "four");
    }
    client.ask("rest");
    for (Child member : fleet.members()) {
      member.ask("verify");
    }
    fleet.watch(Duration.ZERO);
    for (Child member : fleet.members()) {
      Map<Count, Long> counts = Findings.parse(member.ask("report"));
      fleet.note(member.name() + " has seen " + counts);
      assertThat(counts.get(Count.UNREAD)).as("refused reads of %s", member.name()).isZero();
    }
    assertThat(Findings.parse(client.ask("report")).get(Count.ACKNOWLEDGED)).isGreaterThan(1000);
  }

  private static void terminate(Fleet fleet, String name) throws Exception {
    Child child =
        fleet.members().stream()
            .filter(member -> member.name().equals(name))
            .findFirst()
            .orElseThrow();
    fleet.note("SIGTERM to " + name);
    fleet.forget(child);
    child.terminate();
    fleet.note(name + " has ended");
    fleet.awaitBalanced();
  }
}
