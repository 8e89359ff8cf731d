package dev.headrace.stream.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.ResumeTokenException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PackedNumbersTest {

  private static ByteBuffer written(long... numbers) {
    ByteBuffer out = ByteBuffer.allocate(PackedNumbers.maxBytes(numbers.length));
    PackedNumbers.write(out, numbers);
    return out.flip();
  }

  @Test
  void numbersAreReadAsTheyWereWritten() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 2_000; i++) {
      long[] numbers = new long[1 + random.nextInt(30)];
      int least = random.nextInt(63);
      int spread = 1 + random.nextInt(63);
      for (int at = 0; at < numbers.length; at++) {
        numbers[at] = ((random.nextLong() >>> spread) + (1L << least)) >>> 1;
      }
      ByteBuffer in = written(numbers);
      assertThat(PackedNumbers.read(in, numbers.length)).isEqualTo(numbers);
      assertThat(in.hasRemaining()).isFalse();
    }
    assertThat(PackedNumbers.read(written(0, Long.MAX_VALUE), 2))
        .containsExactly(0, Long.MAX_VALUE);
  }

  @Test
  void equalNumbersTakeNothingEach() {
    assertThat(written(7, 7, 7, 7).remaining()).isEqualTo(2);
    assertThat(written(7, 8, 7, 8, 8, 7, 7, 7).remaining()).isEqualTo(3);
  }

  @Test
  void whatEndsTooSoonOrIsTooLargeIsRefused() {
    ByteBuffer cut = written(1, 1_000_000, 3);
    cut.limit(cut.limit() - 1);
    assertThatThrownBy(() -> PackedNumbers.read(cut, 3))
        .isInstanceOf(BufferUnderflowException.class);
    ByteBuffer sum = written(1, 2);
    assertThatThrownBy(() -> PackedNumbers.read(sum, 1 << 30))
        .isInstanceOf(BufferUnderflowException.class);
    ByteBuffer large = written(0, Long.MAX_VALUE);
    ByteBuffer larger = ByteBuffer.allocate(large.remaining());
    larger.put(large).put(0, (byte) 1).flip();
    assertThatThrownBy(() -> PackedNumbers.read(larger, 2))
        .isInstanceOf(ResumeTokenException.class);
  }
}
