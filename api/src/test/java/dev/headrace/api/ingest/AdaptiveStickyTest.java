package dev.headrace.api.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AdaptiveStickyTest {
  private static final long MILLI = 1_000_000;
  private static final long PATIENCE = 100 * MILLI;
  private static final int DRAWS = 30_000;
  private static final double SCATTER = 0.02; // of shares, with so many draws

  private final SettableView view = new SettableView(3);

  private static AdaptiveSticky partitioner(long availabilityNanos) {
    return new AdaptiveSticky(availabilityNanos, new Random(5));
  }

  /** The share of the batches that each segment gets. */
  private double[] shares(Partitioner partitioner) {
    double[] shares = new double[view.segments()];
    for (int i = 0; i < DRAWS; i++) {
      int segment = partitioner.segment(view, 100);
      partitioner.onNewBatch(view, segment);
      shares[segment] += 1.0 / DRAWS;
    }
    return shares;
  }

  @Test
  void nodesThatKeepUpAlikeGetAlike() {
    for (double share : shares(partitioner(PATIENCE))) {
      assertThat(share).isCloseTo(1.0 / 3, within(SCATTER));
    }
  }

  @Test
  void aSegmentIsKeptUntilANewBatchIsOpened() {
    Partitioner partitioner = partitioner(PATIENCE);
    int first = partitioner.segment(view, 100);
    for (int i = 0; i < 100; i++) {
      partitioner.onAppended(view, first, 100);
      assertThat(partitioner.segment(view, 100)).isEqualTo(first);
    }
    partitioner.onNewBatch(view, (first + 1) % 3);
    assertThat(partitioner.segment(view, 100)).as("another's batch").isEqualTo(first);
  }

  @Test
  void aShorterQueueGetsMore() {
    view.queuedBytes[0] = 3_000; // the others: 3 batches shorter, and one batch
    double[] shares = shares(partitioner(PATIENCE));
    assertThat(shares[0]).isCloseTo(1.0 / 9, within(SCATTER));
    assertThat(shares[1]).isCloseTo(4.0 / 9, within(SCATTER));
  }

  @Test
  void aNodeThatTakesLongerGetsLess() {
    view.expectedNanos[0] = 20 * MILLI; // 21 with the floor, the others 1
    double[] shares = shares(partitioner(PATIENCE));
    assertThat(shares[0]).isCloseTo(1.0 / 43, within(SCATTER / 2));
    assertThat(shares[1]).isCloseTo(21.0 / 43, within(SCATTER));
  }

  @Test
  void aNodeThatHasTakenNothingForAWhileIsLeftOutUntilItDoes() {
    Partitioner partitioner = partitioner(PATIENCE);
    view.stalledNanos[0] = PATIENCE - 1;
    assertThat(shares(partitioner)[0]).isPositive();
    view.stalledNanos[0] = PATIENCE;
    assertThat(shares(partitioner)[0]).isZero();
    view.stalledNanos[0] = 0;
    assertThat(shares(partitioner)[0]).isCloseTo(1.0 / 3, within(SCATTER));
  }

  @Test
  void theSegmentOfSuchANodeIsLeftAtOnce() {
    Partitioner partitioner = partitioner(PATIENCE);
    int first = partitioner.segment(view, 100);
    view.stalledNanos[first] = PATIENCE;
    assertThat(partitioner.segment(view, 100)).isNotEqualTo(first);
  }

  @Test
  void withoutATimeoutNobodyIsLeftOut() {
    view.stalledNanos[0] = Long.MAX_VALUE;
    assertThat(shares(partitioner(0))[0]).isCloseTo(1.0 / 3, within(SCATTER));
  }

  @Test
  void aSegmentWithoutAnOwnerIsLeftOutUnlessAllAre() {
    view.available[1] = false;
    assertThat(shares(partitioner(PATIENCE))[1]).isZero();
    Arrays.fill(view.available, false);
    assertThat(shares(partitioner(PATIENCE))[1]).isCloseTo(1.0 / 3, within(SCATTER));
  }
}
