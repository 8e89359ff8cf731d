package dev.headrace.api.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class UniformStickyTest {
  private static final int SEGMENTS = 1_000_000; // so many that none is drawn twice in a row

  private final SettableView view = new SettableView(SEGMENTS);
  private final UniformSticky partitioner = new UniformSticky(new Random(5));

  /** Appends records of a segment until another one is chosen; returns how many there were. */
  private int share(int bytes) {
    int segment = partitioner.segment(view, bytes);
    int records = 0;
    do {
      partitioner.onAppended(view, segment, bytes);
      records++;
    } while (partitioner.segment(view, bytes) == segment);
    return records;
  }

  @Test
  void aShareHasTheBytesOfABatch() {
    for (int i = 0; i < 10; i++) {
      assertThat(share(100)).isEqualTo(SettableView.BATCH_BYTES / 100);
    }
    assertThat(share(300)).as("it ends behind the record that is over").isEqualTo(4);
  }

  @Test
  void aShareGoesOnWhileItsBatchLingersUntilItHasTwiceAsMuch() {
    int segment = partitioner.segment(view, 100);
    view.lingers[segment] = true;
    assertThat(share(100)).isEqualTo(2 * SettableView.BATCH_BYTES / 100);

    int other = partitioner.segment(view, 100);
    view.lingers[other] = true;
    for (int i = 0; i < 15; i++) {
      partitioner.onAppended(view, other, 100);
    }
    assertThat(partitioner.segment(view, 100)).isEqualTo(other);
    view.lingers[other] = false;
    assertThat(partitioner.segment(view, 100)).as("the batch has left").isNotEqualTo(other);
  }

  @Test
  void aShareEndsWhereABatchWouldBeOpenedForItsLastRecord() {
    int segment = partitioner.segment(view, 300);
    for (int i = 0; i < 3; i++) {
      partitioner.onAppended(view, segment, 300);
    }
    partitioner.onNewBatch(view, segment);
    assertThat(partitioner.segment(view, 300)).isNotEqualTo(segment);
  }

  @Test
  void aShareGoesOnInANewBatchIfItHasHadLittle() {
    int segment = partitioner.segment(view, 300);
    partitioner.onAppended(view, segment, 300);
    partitioner.onNewBatch(view, segment);
    assertThat(partitioner.segment(view, 300)).isEqualTo(segment);
  }
}
