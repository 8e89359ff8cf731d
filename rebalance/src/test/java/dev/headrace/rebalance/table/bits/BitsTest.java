package dev.headrace.rebalance.table.bits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.WireException;
import java.nio.ByteBuffer;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class BitsTest {

  private static final long MAX = Long.MAX_VALUE;

  @Property(tries = 300)
  void numbersOfEveryWidthComeBack(
      @ForAll @Size(max = 50) List<@LongRange(min = 0, max = MAX) Long> numbers) {
    BitOutput out = new BitOutput();
    for (long number : numbers) {
      out.bits(number, BitOutput.width(number));
      out.gamma(number == 0 ? 1 : number);
      out.vint(number);
      out.bits(-1, 3);
    }
    BitInput in = input(out);
    for (long number : numbers) {
      assertThat(in.bits(BitOutput.width(number))).isEqualTo(number);
      assertThat(in.gamma()).isEqualTo(number == 0 ? 1 : number);
      assertThat(in.vint(MAX, "number")).isEqualTo(number);
      assertThat(in.bits(3)).isEqualTo(7);
    }
    assertThat(in.buffer().hasRemaining()).isFalse();
  }

  @Test
  void smallNumbersTakeFewBits() {
    BitOutput out = new BitOutput();
    for (int i = 0; i < 8; i++) {
      out.gamma(1);
    }
    assertThat(out.length()).isEqualTo(1);
    out.gamma(3);
    out.bits(1, 5);
    assertThat(out.length()).isEqualTo(2);
    assertThat(BitOutput.width(0)).isZero();
    assertThat(BitOutput.width(255)).isEqualTo(8);
    assertThat(BitOutput.width(256)).isEqualTo(9);
  }

  @Test
  void wholeFormsStandOnWholeBytes() {
    BitOutput out = new BitOutput();
    out.bits(1, 1);
    out.room(8).putLong(42);
    BitInput in = input(out);

    assertThat(in.bits(1)).isEqualTo(1);
    assertThat(in.buffer().getLong()).isEqualTo(42);
  }

  @Test
  void aNumberThatIsCutOffOrTooGreatIsRefused() {
    assertThatThrownBy(() -> input(0x80).vint(9, "count")).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> input(10).vint(9, "count"))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("its count is 10");
    assertThatThrownBy(() -> input(255, 255, 255, 255, 255, 255, 255, 255, 255, 1).vint(MAX, "n"))
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> input(0, 0, 0, 0, 0, 0, 0, 0, 1).gamma())
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> input(1).bits(9)).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> input(1, 2).needBits(17, "rows"))
        .isInstanceOf(WireException.class)
        .hasMessage("A test is cut off: 3 bytes of rows are due, 2 are left");
  }

  @Test
  void whatTheFormDoesNotHaveIsNotWritten() {
    assertThatThrownBy(() -> new BitOutput().gamma(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new BitOutput().vint(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  private static BitInput input(BitOutput out) {
    ByteBuffer bytes = ByteBuffer.allocate(out.length());
    out.copyTo(bytes);
    return new BitInput(bytes.flip(), "A test");
  }

  private static BitInput input(int... bytes) {
    ByteBuffer buffer = ByteBuffer.allocate(bytes.length);
    for (int each : bytes) {
      buffer.put((byte) each);
    }
    return new BitInput(buffer.flip(), "A test");
  }
}
