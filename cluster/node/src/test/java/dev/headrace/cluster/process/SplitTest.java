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
 * Clusters in network namespaces that are cut in two, so that some segments have all their owners
 * on the side that must not go on, and such in which only two nodes do not reach each other. While
 * it lasts nobody may read that there is nothing where something is, nor complete a stream without
 * it; afterwards everything has to be there.
 *
 * <p>Skipped where no namespaces can be made. {@code -Dheadrace.silence=full} adds the minority of
 * two; {@code -Dheadrace.silence.seconds=N} is how long a split lasts; {@code
 * -Dheadrace.split.bar=N} has the test fail if operations are still in trouble N milliseconds after
 * it has ended.
 */
final class SplitTest {
  private static final boolean FULL = "full".equals(System.getProperty("headrace.silence"));
  private static final Duration SPLIT =
      Duration.ofSeconds(Long.getLong("headrace.silence.seconds", 15));
  private static final long BAR_MILLIS = Long.getLong("headrace.split.bar", 60_000);

  @TempDir private Path meeting;

  @Test
  void evenSplitLosesNothing() throws Exception {
    split(4, List.of("n3", "n4"));
  }

  @Test
  void minorityOfTwoHasWhatItAloneHolds() throws Exception {
    assumeTrue(FULL, "Needs -Dheadrace.silence=full");
    split(5, List.of("n2", "n5"));
  }

  /** The younger of the two is set aside, and operations of all others go on. */
  @Test
  void twoNodesThatReachEverybodyButEachOtherHoldUpNobody() throws Exception {
    String obstacle = Namespaces.obstacle();
    assumeTrue(obstacle == null, obstacle);
    List<String> aside = List.of("n4");
    try (CutOff cluster = new CutOff(meeting, List.of("n1", "n2", "n3", "n4"), 2)) {
      Runnable cut =
          () -> {
            cluster.network().drop("n3", "n4");
            cluster.network().drop("n4", "n3");
          };
      CutOff.Seen seen = cluster.suffer("a cut between two nodes", aside, SPLIT, cut);
      assertThat(seen.troubledMillis()).as("%s", seen).isLessThanOrEqualTo(BAR_MILLIS);
      cluster.heal(aside);
    }
  }

  private void split(int nodes, List<String> side) throws Exception {
    String obstacle = Namespaces.obstacle();
    assumeTrue(obstacle == null, obstacle);
    List<String> names = IntStream.rangeClosed(1, nodes).mapToObj(n -> "n" + n).toList();
    try (CutOff cluster = new CutOff(meeting, names, 2)) {
      CutOff.Seen seen = cluster.split("split of " + side, side, SPLIT);
      assertThat(seen.troubledMillis()).as("%s", seen).isLessThanOrEqualTo(BAR_MILLIS);
      cluster.heal(List.of());
    }
  }
}
