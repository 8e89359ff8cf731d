package dev.headrace.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes in network namespaces of their own that fall silent: what is sent to them or by them is
 * lost, and no connection is reset. Those who are left must have all operations go on soon, and get
 * their redundancy back while the others are still away. Those who are cut off answer nothing once
 * their leases are over, and nothing that is out of date before.
 *
 * <p>Skipped where no namespaces can be made. By default one node of four falls silent. {@code
 * -Dheadrace.silence=full} adds the other faults; {@code -Dheadrace.silence.seconds=N} is how long
 * each lasts; {@code -Dheadrace.silence.bar=N} has the test fail if operations do not go on N
 * milliseconds after a fault began, which only a machine without other work can promise.
 */
final class SilenceTest {
  private static final boolean FULL = "full".equals(System.getProperty("headrace.silence"));
  private static final Duration FAULT =
      Duration.ofSeconds(Long.getLong("headrace.silence.seconds", 10));
  private static final long BAR_MILLIS = Long.getLong("headrace.silence.bar", 60_000);

  /** A lease lasts for a second and ends by the node's own clock; the rest is for slow machines. */
  private static final long LEASED_MILLIS = BAR_MILLIS < 30_000 ? 2_000 : 30_000;

  @TempDir private Path meeting;

  @Test
  void nodeWhosePacketsAreDroppedIsDoneWithout() throws Exception {
    dropped(4, 2, List.of("n2"));
  }

  @Test
  void coordinatorWhosePacketsAreDroppedIsDoneWithout() throws Exception {
    onlyIfFull();
    dropped(4, 2, List.of("n1"));
  }

  /** With as many owners that the others have a copy of everything. */
  @Test
  void minorityWhosePacketsAreDroppedIsDoneWithout() throws Exception {
    onlyIfFull();
    dropped(5, 3, List.of("n1", "n5"));
  }

  private void dropped(int nodes, int owners, List<String> silent) throws Exception {
    try (CutOff cluster = cluster(nodes, owners)) {
      CutOff.Seen seen =
          cluster.suffer("drop", silent, FAULT, () -> cluster.network().cutOff(silent));
      check(seen);
      long servedMillis = cluster.alone(silent).servedMillis();
      assertThat(servedMillis)
          .as("when who is cut off had a result for the last time")
          .isPositive();
      assertThat(servedMillis - seen.began())
          .as("how long those who are cut off still had results")
          .isLessThanOrEqualTo(LEASED_MILLIS);
      CutOff.Met alone = cluster.alone(silent, Duration.ofSeconds(2));
      assertThat(alone.reads().operations()).as("reads, none of which has a result").isPositive();
      assertThat(alone.reads().failures()).isEqualTo(alone.reads().operations());
      assertThat(alone.writes().failures()).isEqualTo(alone.writes().operations());
      cluster.heal(silent);
    }
  }

  @Test
  void nodeWhosePacketsAreRejectedIsDoneWithout() throws Exception {
    onlyIfFull();
    List<String> silent = List.of("n2");
    try (CutOff cluster = cluster(4)) {
      check(cluster.suffer("reject", silent, FAULT, () -> cluster.network().reject(silent)));
      cluster.heal(silent);
    }
  }

  @Test
  void nodeWhoseCableIsPulledIsDoneWithout() throws Exception {
    onlyIfFull();
    List<String> silent = List.of("n3");
    try (CutOff cluster = cluster(4)) {
      check(cluster.suffer("unplug", silent, FAULT, () -> cluster.network().unplug("n3")));
      cluster.heal(silent);
    }
  }

  @Test
  void nodeWithoutPowerIsDoneWithout() throws Exception {
    onlyIfFull();
    List<String> silent = List.of("n2");
    try (CutOff cluster = cluster(4)) {
      check(cluster.suffer("power off", silent, FAULT, () -> cluster.powerOff("n2")));
      cluster.heal(List.of());
    }
  }

  @Test
  void coordinatorThatIsKilledIsDoneWithout() throws Exception {
    onlyIfFull();
    List<String> silent = List.of("n1");
    try (CutOff cluster = cluster(4)) {
      check(cluster.suffer("kill", silent, FAULT, () -> cluster.kill("n1")));
      cluster.heal(List.of());
    }
  }

  @Test
  void nodeThatHearsNobodyIsDoneWithout() throws Exception {
    onlyIfFull();
    List<String> silent = List.of("n2");
    try (CutOff cluster = cluster(4)) {
      Runnable deaf = () -> List.of("n1", "n3", "n4").forEach(o -> cluster.network().drop(o, "n2"));
      check(cluster.suffer("one way in", silent, FAULT, deaf));
      cluster.heal(silent);
    }
  }

  @Test
  void nodeThatNobodyHearsIsDoneWithout() throws Exception {
    onlyIfFull();
    List<String> silent = List.of("n2");
    try (CutOff cluster = cluster(4)) {
      Runnable mute = () -> List.of("n1", "n3", "n4").forEach(o -> cluster.network().drop("n2", o));
      check(cluster.suffer("one way out", silent, FAULT, mute));
      cluster.heal(silent);
    }
  }

  /** Nobody is lost by that, only time. */
  @Test
  void slowAndLossyNetworkIsEndured() throws Exception {
    onlyIfFull();
    try (CutOff cluster = cluster(4)) {
      boolean can = cluster.network().disturb("n2", 20, 2);
      assumeTrue(can, "This kernel cannot delay packets: it has no netem");
      check(cluster.suffer("delay and loss", List.of(), FAULT, () -> {}));
      cluster.heal(List.of());
    }
  }

  @Test
  void nodeWhoseNetworkComesAndGoesLeavesTheOthersInPeace() throws Exception {
    onlyIfFull();
    List<String> silent = List.of("n2");
    try (CutOff cluster = cluster(4)) {
      CutOff.Seen seen = cluster.flap(silent, FAULT);
      assertThat(seen.met().reads().operations()).as("%s", seen).isPositive();
      assertThat(seen.met().reads().failures()).as("%s", seen).isZero();
      assertThat(seen.met().writes().mostFailures()).as("%s", seen).isLessThanOrEqualTo(1);
      cluster.heal(silent);
    }
  }

  private static void onlyIfFull() {
    assumeTrue(FULL, "Needs -Dheadrace.silence=full");
  }

  private static void check(CutOff.Seen seen) {
    assertThat(seen.troubledMillis()).as("%s", seen).isLessThanOrEqualTo(BAR_MILLIS);
    assertThat(seen.met().reads().mostFailures()).as("%s", seen).isLessThanOrEqualTo(1);
    assertThat(seen.met().writes().mostFailures()).as("%s", seen).isLessThanOrEqualTo(1);
  }

  private CutOff cluster(int nodes) throws Exception {
    return cluster(nodes, 2);
  }

  private CutOff cluster(int nodes, int owners) throws Exception {
    String obstacle = Namespaces.obstacle();
    assumeTrue(obstacle == null, obstacle);
    List<String> names = IntStream.rangeClosed(1, nodes).mapToObj(n -> "n" + n).toList();
    return new CutOff(meeting, names, owners);
  }
}
