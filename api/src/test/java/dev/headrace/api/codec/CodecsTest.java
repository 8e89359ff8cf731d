package dev.headrace.api.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.error.CodecException;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class CodecsTest {
  private record Quote(String symbol, double price) {}

  private record Basket(List<Thread> workers) {}

  private record Tree(String name, Tree left) {}

  private record Forest(Tree tree) {}

  @Test
  void aTypeWithoutCodecIsRefusedWithWhatToDo() {
    assertThatThrownBy(() -> Codecs.of(Object.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("no built-in codec for java.lang.Object")
        .hasMessageContaining("write a Codec")
        .hasMessageContaining("CacheSettings");
    assertThatThrownBy(() -> CacheSettings.of("c", Thread[].class, String.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("no built-in codec for java.lang.Thread[]");
  }

  @Test
  void aComponentWithoutCodecIsNamed() {
    assertThatThrownBy(() -> Codecs.of(Basket.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining(
            "java.util.List<java.lang.Thread>, the type of component \"workers\" of record "
                + Basket.class.getName());
  }

  @Test
  void aRecordThatContainsItselfIsRefused() {
    assertThatThrownBy(() -> Codecs.of(Tree.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("contains itself");
    assertThatThrownBy(() -> Codecs.of(Forest.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining(Tree.class.getName() + ", because it contains itself");
  }

  private record Strict(int id, UUID origin) {}

  private record Lenient(Integer id, UUID origin) {}

  @Test
  void aComponentThatMayBeNullHasAFormatOfItsOwn() {
    assertThat(Codecs.of(Strict.class).format()).isEqualTo("record Strict(id int, origin uuid?)");
    assertThat(Codecs.of(Lenient.class).format())
        .isEqualTo("record Lenient(id int?, origin uuid?)");
  }

  @Test
  void formatsTellWhatTheBytesLookLike() {
    assertThat(Codecs.of(Quote.class).format())
        .isEqualTo("record Quote(symbol string, price double)");
    assertThat(Codecs.of(int.class).format()).isEqualTo(Codecs.of(Integer.class).format());
    assertThat(Codecs.of(byte[].class).format()).isEqualTo("bytes");
  }

  @Test
  void theBytesAreTheOnesThatAreWrittenDown() {
    assertThat(hex(Codecs.of(Integer.class), 0x01020304)).isEqualTo("01020304");
    assertThat(hex(Codecs.of(Long.class), -2L)).isEqualTo("fffffffffffffffe");
    assertThat(hex(Codecs.of(Character.class), 'é')).isEqualTo("00e9");
    assertThat(hex(Codecs.string(), "é1")).isEqualTo("c3a931");
    assertThat(hex(Codecs.of(Quote.class), new Quote("AB", 1.0)))
        .isEqualTo("01024142" + "3ff0000000000000");
    assertThat(hex(Codecs.of(Quote.class), new Quote(null, 0.0)))
        .isEqualTo("00" + "0000000000000000");
  }

  @Test
  void equalNumbersHaveEqualBytes() {
    double otherNan = Double.longBitsToDouble(0x7ff8000000000001L);
    assertThat(hex(Codecs.of(Double.class), otherNan))
        .isEqualTo(hex(Codecs.of(Double.class), Double.NaN));
    float otherFloatNan = Float.intBitsToFloat(0x7fc00001);
    assertThat(hex(Codecs.of(Float.class), otherFloatNan))
        .isEqualTo(hex(Codecs.of(Float.class), Float.NaN));
  }

  @Test
  void anOutputIsUsedAgainWithoutRemainsOfBefore() {
    ByteOutput out = new ByteOutput(0);
    out.writeUtf8("x".repeat(1000));
    byte[] room = out.array();
    out.reset();
    out.writeUtf8("y");
    assertThat(out.toByteArray()).containsExactly('y');
    assertThat(out.array()).isSameAs(room);
  }

  private static <T> String hex(Codec<T> codec, T value) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    return HexFormat.of().formatHex(out.toByteArray());
  }
}
