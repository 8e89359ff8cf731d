package dev.headrace.stream.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class HashSpaceTest {

  @Property
  void segmentAndPositionAreTheWordsOfTheProduct(
      @ForAll long hash, @ForAll @IntRange(min = 1) int segments) {
    HashSpace space = new HashSpace(segments, 1);
    BigInteger product =
        new BigInteger(Long.toUnsignedString(hash)).multiply(BigInteger.valueOf(segments));
    assertThat(space.segment(hash)).isEqualTo(product.shiftRight(64).intValueExact());
    assertThat(space.position(hash)).isEqualTo(product.longValue());
  }

  @Property
  void arraysAndBuffersHashTheSame(@ForAll @Size(max = 300) byte[] key, @ForAll long seed) {
    HashSpace space = new HashSpace(256, seed);
    byte[] padded = new byte[key.length + 5];
    System.arraycopy(key, 0, padded, 2, key.length);
    ByteBuffer direct = ByteBuffer.allocateDirect(padded.length).put(padded);
    assertThat(space.hash(padded, 2, key.length)).isEqualTo(space.hash(key));
    assertThat(space.hash(ByteBuffer.wrap(padded), 2, key.length)).isEqualTo(space.hash(key));
    assertThat(space.hash(direct, 2, key.length)).isEqualTo(space.hash(key));
  }

  @Test
  void theHashIsXxh3AndDependsOnTheSeed() {
    // The reference value of XXH3_64bits for no input and seed 0.
    assertThat(new HashSpace(1, 0).hash(new byte[0])).isEqualTo(0x2D06800538D394C2L);
    assertThat(new HashSpace(1, 1).hash(new byte[0])).isNotEqualTo(0x2D06800538D394C2L);
  }

  @Test
  void aSpaceWithoutSegmentsIsRefused() {
    assertThatThrownBy(() -> new HashSpace(0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("segments is 0; a cache needs at least one segment");
  }
}
