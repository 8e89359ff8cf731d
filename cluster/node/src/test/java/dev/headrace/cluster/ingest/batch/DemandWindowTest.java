package dev.headrace.cluster.ingest.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class DemandWindowTest {
  private static final long MEMORY_BYTES = 50_000;

  @Test
  void nothingIsAskedForBeforeAGoodPartHasCome() {
    DemandWindow window = new DemandWindow(MEMORY_BYTES);
    long first = window.take();

    assertThat(first).isPositive();
    assertThat(window.take()).isZero();
  }

  @Test
  void whatIsHeldIsNoMoreThanTheMemoryThoughKeysGrowWithTheirNumbers() {
    DemandWindow window = new DemandWindow(MEMORY_BYTES);
    Deque<Integer> held = new ArrayDeque<>();
    long most = 0;
    long requested = 0;
    for (int record = 1; record <= 100_000; record++) {
      while (requested == 0) {
        if (!held.isEmpty()) {
          window.ended(held.remove());
        }
        requested = window.take();
      }
      requested--;
      held.add(100 + Integer.toString(record).length());
      window.received(held.getLast());
      most = Math.max(most, window.heldBytes());
    }

    assertThat(most).isBetween(MEMORY_BYTES * 3 / 4, MEMORY_BYTES);
  }

  /** Whatever the sizes are, a growth of up to an eighth stays within the memory. */
  @Property
  void aGrowthByAnEighthStaysWithinTheMemory(@ForAll @IntRange(min = 8, max = 5_000) int bytes) {
    DemandWindow window = new DemandWindow(MEMORY_BYTES);
    window.received(bytes);
    long requested = window.take();
    for (int record = 0; record < requested; record++) {
      window.received(bytes + bytes / 8);
    }

    assertThat(window.heldBytes()).isLessThanOrEqualTo(MEMORY_BYTES);
  }

  @Test
  void aFullMemoryAsksForNothingAndAnEmptyOneForOneAtLeast() {
    DemandWindow window = new DemandWindow(1_000);
    long asked = window.take();
    assertThat(asked).isPositive();
    for (long i = 0; i < asked; i++) {
      window.received(100);
    }
    assertThat(window.take()).isZero();
    for (long i = 0; i < asked; i++) {
      window.ended(100);
    }
    assertThat(window.take()).as("of 100 bytes, and an eighth more each").isEqualTo(8);

    DemandWindow small = new DemandWindow(1);
    assertThat(small.take()).isEqualTo(1);
    small.received(500);
    assertThat(small.take()).isZero();
    small.ended(500);
    assertThat(small.take()).isEqualTo(1);
  }
}
