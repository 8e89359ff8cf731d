package dev.headrace.cluster.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.stream.entry.HashSpace;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SegmentKeysTest {
  private static final int SEGMENTS = 16;

  private final HashSpace space = new HashSpace(SEGMENTS, 77);

  private static byte[] key(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  @Test
  void keysFallIntoTheSegmentThatIsAskedForAndGrow() {
    SegmentKeys keys = new SegmentKeys(space, SegmentKeysTest::key);
    Random random = new Random(3);
    long[] last = new long[SEGMENTS];
    Arrays.fill(last, -1);
    Set<Long> all = new HashSet<>();
    for (int i = 0; i < 5_000; i++) {
      int segment = random.nextInt(SEGMENTS);
      byte[] key = keys.next(segment);
      long number = ByteBuffer.wrap(key).getLong();
      assertThat(space.segment(space.hash(key))).isEqualTo(segment);
      assertThat(keys.hash()).isEqualTo(space.hash(key));
      assertThat(number).isGreaterThan(last[segment]);
      assertThat(all.add(number)).as("number %d is new", number).isTrue();
      last[segment] = number;
    }
    assertThat(all.stream().mapToLong(number -> number).max().orElseThrow())
        .as("few numbers are left out")
        .isLessThan(10_000);
  }

  @Test
  void keysThatAreAllTheSameAreRefused() {
    SegmentKeys keys = new SegmentKeys(space, number -> key(0));
    int segment = space.segment(space.hash(key(0)));
    assertThat(keys.next(segment)).isEqualTo(key(0));
    assertThatThrownBy(() -> keys.next((segment + 1) % SEGMENTS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("appendedKeys");
  }
}
