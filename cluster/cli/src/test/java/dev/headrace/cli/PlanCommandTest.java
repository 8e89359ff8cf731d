package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What {@code headrace plan} prints. */
final class PlanCommandTest {
  private final CommandRun command = new CommandRun();

  @Test
  void aJoinIsPrintedNodeByNode() {
    assertThat(command.run("plan", "--members", "a,b,c", "--segments", "300", "--join", "d"))
        .isZero();
    assertThat(command.err()).isEmpty();
    assertThat(command.out())
        .startsWith("300 segments, 2 owners each\n\n  node  replicas    primaries\n")
        .contains("  a     200 -> 150  100 -> 75\n")
        .contains("  d       0 -> 150    0 -> 75  joins\n")
        .containsPattern("  copies +150\n  lower bound +150\n  swaps +[0-9]+\n");
  }

  @Test
  void capacitiesAndZonesCount() {
    command.run("plan", "--members", "a@x,b@x,c=2@y", "--segments", "100", "--leave", "b");
    assertThat(command.out())
        .contains("  a      50 -> 100  25 -> 33\n")
        .contains("  b      50 ->   0  25 ->  0   leaves\n")
        .contains("  c     100 -> 100  50 -> 67\n")
        .containsPattern("copies +50\n");
  }

  @Test
  void anotherPlacementPlansForItsOwnRows() {
    String[] joined = {"plan", "--members", "a,b,c", "--join", "d", "--placement"};
    assertThat(command.run(with(joined, "ketama-md5"))).isZero();
    assertThat(command.out()).contains("d       0 -> ");
    assertThat(copies("copies")).isEqualTo(copies("lower bound")).isBetween(60, 200);
  }

  @Test
  void anUnknownPlacementIsRefused() {
    assertThat(command.run("plan", "--members", "a,b", "--join", "c", "--placement", "ketama"))
        .isEqualTo(2);
    assertThat(command.err()).contains("there is no placement \"ketama\"", "ketama-md5");
  }

  private int copies(String figure) {
    var found = Pattern.compile(figure + " +([0-9]+)").matcher(command.out());
    assertThat(found.find()).as(figure).isTrue();
    return Integer.parseInt(found.group(1));
  }

  private static String[] with(String[] arguments, String last) {
    return Stream.concat(Stream.of(arguments), Stream.of(last)).toArray(String[]::new);
  }

  @Test
  void lostSegmentsAndMissingNodesAreSaid() {
    command.run("plan", "--members", "a,b,c,d", "--segments", "60", "--crash", "a,b,c");
    assertThat(command.out())
        .startsWith("60 segments, 1 owner each (2 configured; there are no more nodes)")
        .contains("  d     30 -> 60", "crashes")
        .containsPattern("copies +0\n  lower bound +0\n  swaps +0\n  lost +30\n")
        .contains("they start again, empty");
  }
}
