package dev.headrace.stream.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.entry.HashSpace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What entries cost beyond their bytes. */
class FootprintTest {

  private static final int KEY_BYTES = 10;
  private static final int VALUE_BYTES = 100;

  @Test
  void anEntryCostsAtMost32BytesBeyondItsKeyAndValueOnAverage() {
    OneSegment segment = new OneSegment();
    String value = "v".repeat(VALUE_BYTES);
    double sum = 0;
    int samples = 0;
    for (int i = 1; i <= 20_000; i++) {
      segment.put(String.format("%0" + KEY_BYTES + "d", i), value);
      if (i >= 100) {
        sum += segment.replica.heapBytes() / (double) i - KEY_BYTES - VALUE_BYTES;
        samples++;
      }
    }
    assertThat(sum / samples).isLessThanOrEqualTo(32);
  }

  /** The rule of the guide to sizing. */
  @ParameterizedTest
  @ValueSource(ints = {10, 100, 1000})
  void entriesTakeAtMostTwoFifthsMoreThanTheirBytesAnd32(int valueBytes) {
    OneSegment segment = new OneSegment();
    String value = "v".repeat(valueBytes);
    double sum = 0;
    int samples = 0;
    for (int i = 1; i <= 4_000; i++) {
      segment.put(String.format("%0" + KEY_BYTES + "d", i), value);
      if (i >= 100) {
        sum += segment.replica.heapBytes() / (double) i / (KEY_BYTES + valueBytes + 32);
        samples++;
      }
    }
    assertThat(sum / samples).isBetween(0.7, 1.4);
  }

  @Test
  void aHundredThousandEmptySegmentsTakeAFewMegabytes() {
    SegmentStore store = new SegmentStore(new HashSpace(100_000, 1), () -> 0, StoreLimits.DEFAULT);
    for (int i = 0; i < 100_000; i++) {
      store.open(i, 0, ReplicaState.OWNER);
    }
    assertThat(store.heapBytes()).isLessThan(4_000_000);
    assertThat(store.replica(99_999).content()).isNull();
  }
}
