package dev.headrace.cluster.node.simulation.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Orders in which writes that nothing names are needed, and in which they are not. */
class UnnamedTest {
  private final List<Write> writes = new ArrayList<>();

  UnnamedTest() {
    Write absent = new Write(Write.Kind.PUT, null, null, Long.MIN_VALUE);
    absent.acknowledged(Long.MIN_VALUE);
    writes.add(absent);
  }

  @Test
  void aRemovalThatFoundSomethingMayHaveFoundWhatNobodySaw() {
    unknownPut(7, 10);
    unknownPut(8, 11);
    remove(20, 30);
    assertThat(needed()).containsExactly(writes.get(0), writes.get(1), writes.get(3));
    assertThat(explains(null)).isTrue();
  }

  @Test
  void twoRemovalsNeedTwoWrites() {
    unknownPut(7, 10);
    remove(20, 30);
    remove(40, 50);
    assertThat(explains(null)).isFalse();
    unknownPut(8, 35);
    assertThat(explains(null)).isTrue();
  }

  @Test
  void whatIsSeenIsNeededHoweverManyThereAre() {
    unknownPut(7, 10);
    unknownPut(8, 11);
    assertThat(needed()).containsExactly(writes.get(0));
    assertThat(explains(8)).isTrue();
    assertThat(explains(9)).isFalse();
  }

  private void unknownPut(int value, long startNanos) {
    writes.add(new Write(Write.Kind.PUT, null, value, startNanos));
  }

  private void remove(long startNanos, long endNanos) {
    Write remove = new Write(Write.Kind.REMOVE, null, null, startNanos);
    remove.acknowledged(endNanos, true);
    writes.add(remove);
  }

  private List<Write> needed() {
    return Unnamed.leaveOut(writes, List.of(), null);
  }

  private boolean explains(Integer last) {
    return new Ordering(writes, List.of(), List.of(), last, 1_000).exists();
  }
}
