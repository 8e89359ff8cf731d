package dev.headrace.cluster.node.simulation.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Orders that failures of primaries explain, and what they do not explain. */
class OrderingTest {
  private final List<Write> writes = new ArrayList<>();
  private final List<Read> reads = new ArrayList<>();

  OrderingTest() {
    acknowledged(new Write(Write.Kind.PUT, null, null, Long.MIN_VALUE), Long.MIN_VALUE, true);
  }

  @Test
  void aReplacementByVersionMayBeSeenUndoneAndRefusedWhenItIsSentAgain() {
    put(1, 10, 200);
    acknowledged(new Write(Write.Kind.REPLACE_IF_EQUAL, 1, 2, 20).byVersion(), 210, false);
    reads.add(new Read(2, 30, 31, "a stream"));
    assertThat(explains(1, List.of(5L))).isTrue();
    assertThat(explains(1, List.of())).as("without a failure").isFalse();
  }

  @Test
  void whatIsUndoneLiesAtTheEnd() {
    put(1, 10, 200);
    put(2, 20, 40);
    reads.add(new Read(1, 30, 31, "a get"));
    reads.add(new Read(2, 50, 51, "a get"));
    reads.add(new Read(null, 60, 61, "a get"));
    assertThat(explains(1, List.of(35L)))
        .as("2 had been acknowledged when null was seen")
        .isFalse();
  }

  @Test
  void aFailureInTheMiddleOfManyWritesIsFoundSoon() {
    for (int value = 1; value <= 16; value++) {
      put(value, value, 1_000 - 7L * (value % 5));
    }
    reads.add(new Read(3, 100, 101, "a stream"));
    reads.add(new Read(9, 200, 201, "a stream"));
    reads.add(new Read(null, 300, 301, "a stream"));
    assertThat(explains(12, List.of(250L))).isTrue();
  }

  /** The first attempt replaced a value that nobody has seen; a failure undid both. */
  @Test
  void aReplacementThatFoundNothingMayBeSeenUndoneAndRefusedWhenItIsSentAgain() {
    writes.add(new Write(Write.Kind.PUT, null, 1, 10)); // of unknown outcome
    Write replacement = new Write(Write.Kind.REPLACE_IF_PRESENT, null, 2, 20);
    replacement.found(null);
    acknowledged(replacement, 200, false);
    reads.add(new Read(2, 30, 31, "a stream"));
    reads.add(new Read(null, 60, 61, "a stream"));
    assertThat(explains(null, List.of(5L))).isTrue();
    assertThat(explains(null, List.of())).as("without a failure").isFalse();
  }

  /** What has found nothing must come first, and what stays last, although it was answered soon. */
  @Test
  void anOrderThatEndsWithTheFirstAnswerOfManyIsFoundSoon() {
    for (int value = 1; value <= 18; value++) {
      put(value, value, 1_000 + value);
    }
    acknowledged(new Write(Write.Kind.PUT_IF_ABSENT, null, 20, 5), 1_010, true);
    for (int value = 21; value <= 24; value++) {
      acknowledged(new Write(Write.Kind.PUT_IF_ABSENT, null, value, 6), 1_010 + value, false);
    }
    assertThat(explains(1, List.of(2L))).isTrue();
  }

  @Test
  void aWriteThatIsUnderWayDuringALossMayBeThereBeforeItAndAfterIt() {
    Write repeated = new Write(Write.Kind.PUT, null, 1, 10);
    writes.add(repeated);
    Write next = new Write(Write.Kind.PUT, null, 2, 20);
    next.found(1);
    acknowledged(next, 30, true);
    Write again = repeated.repeated();
    writes.add(new Write(Write.Kind.LOSS, null, null, 40));
    reads.add(new Read(null, 50, 51, "a get"));
    repeated.acknowledged(60, true);
    assertThat(explains(1, List.of())).as("carried out once").isFalse();
    writes.add(again);
    assertThat(explains(1, List.of())).isTrue();
    put(3, 65, 70);
    assertThat(explains(3, List.of())).isTrue();
    assertThat(explains(1, List.of())).as("after it was answered").isFalse();
  }

  private void put(int value, long startNanos, long endNanos) {
    acknowledged(new Write(Write.Kind.PUT, null, value, startNanos), endNanos, true);
  }

  private void acknowledged(Write write, long endNanos, boolean applied) {
    write.acknowledged(endNanos, applied);
    writes.add(write);
  }

  private boolean explains(@Nullable Integer last, List<Long> failures) {
    return new Ordering(writes, reads, failures, last, 2_000).exists();
  }
}
