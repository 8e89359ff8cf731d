package dev.headrace.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process whose node holds nothing and that hangs while a data node joins: nobody may notice.
 * {@code -Dheadrace.hang.bar=N} has the test fail if an operation took N milliseconds longer than
 * the slowest one did before, which only a machine without other work can promise.
 */
final class HangingClientTest {
  private static final Logger LOG = LoggerFactory.getLogger(HangingClientTest.class);
  private static final Duration QUIET = Duration.ofSeconds(5);
  private static final Duration HANG = Duration.ofSeconds(10);
  private static final long BAR_MILLIS = Long.getLong("headrace.hang.bar", 30_000);

  @Test
  void nobodyNoticesAClientThatHangsWhileANodeJoins(@TempDir Path meeting) throws Exception {
    try (Fleet fleet = new Fleet(meeting)) {
      List<Child> nodes = new ArrayList<>();
      for (String name : List.of("one", "two", "three")) {
        Child node = fleet.startHolder(name);
        node.awaitJoined();
        nodes.add(node);
      }
      Child client = fleet.startClient("client");
      client.awaitJoined();
      nodes.get(0).ask("load");
      fleet.awaitBalanced();
      for (Child node : nodes) {
        node.ask("probe");
      }
      fleet.watch(QUIET);
      outage(nodes);
      fleet.watch(QUIET);
      long quietMillis = outage(nodes).slowestMillis();

      client.pause();
      Child late = fleet.startHolder("late");
      late.awaitJoined();
      fleet.watch(HANG);
      Outage outage = outage(nodes);
      client.resume();
      LOG.info("The slowest took %d ms before; then: %s".formatted(quietMillis, outage));
      assertThat(outage.failures()).isZero();
      assertThat(outage.slowestMillis()).isLessThanOrEqualTo(quietMillis + BAR_MILLIS);
      for (Child node : nodes) {
        node.ask("rest");
      }
      fleet.awaitBalanced();
    }
  }

  private static Outage outage(List<Child> nodes) throws InterruptedException {
    Outage all = Outage.NONE;
    for (Child node : nodes) {
      String line = node.ask("outage");
      all = all.and(Outage.parse(line, 0)).and(Outage.parse(line, 1));
    }
    return all;
  }
}
