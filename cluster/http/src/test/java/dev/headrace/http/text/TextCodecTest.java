package dev.headrace.http.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes of built-in codecs as text, without their classes. */
final class TextCodecTest {
  private static final UUID ID = UUID.fromString("6f1d3a52-93a6-4b0e-9c55-0d3d2b6a7c11");
  private static final Instant TIME = Instant.parse("2026-01-31T23:59:59.5Z");

  private enum Side {
    BUY,
    SELL
  }

  private record Empty() {}

  private record Place(@Nullable String town, int number) {}

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Everything(
      @Nullable String text,
      byte[] raw,
      int id,
      @Nullable Integer lots,
      long total,
      short small,
      byte tiny,
      double price,
      float share,
      @Nullable Double rate,
      boolean open,
      char letter,
      UUID uuid,
      @Nullable Instant at,
      Side side,
      @Nullable Place place) {}

  @Test
  void scalarsAreTextAndBack() {
    for (Object value :
        List.of("Köln", 7, -7L, (short) 3, (byte) -1, 42.5, 1.5f, true, 'x', ID, TIME)) {
      assertThat(text(value)).isEqualTo(String.valueOf(value));
      assertThat(written(value, String.valueOf(value))).isEqualTo(bytes(value));
    }
    assertThat(text(new byte[] {1, 2, 3})).isEqualTo("AQID");
    assertThat(written(new byte[0], "AQID")).containsExactly(1, 2, 3);
    assertThat(text(Side.SELL)).isEqualTo("SELL");
  }

  @Test
  void recordsAreJson() {
    Everything full =
        new Everything(
            "say \"x\"\n",
            new byte[] {9},
            1,
            2,
            3,
            (short) 4,
            (byte) 5,
            42.17,
            0.5f,
            1e300,
            true,
            '"',
            ID,
            TIME,
            Side.BUY,
            new Place("Bern", 8));
    assertThat(text(full))
        .isEqualTo(
            "{\"text\":\"say \\\"x\\\"\\n\",\"raw\":\"CQ==\",\"id\":1,\"lots\":2,\"total\":3,"
                + "\"small\":4,\"tiny\":5,\"price\":42.17,\"share\":0.5,\"rate\":1.0E300,"
                + "\"open\":true,\"letter\":\"\\\"\",\"uuid\":\""
                + ID
                + "\",\"at\":\""
                + TIME
                + "\",\"side\":\"BUY\",\"place\":{\"town\":\"Bern\",\"number\":8}}");
  }

  @Test
  void whatIsNullInARecordIsNullInJson() {
    Everything sparse =
        new Everything(
            null,
            new byte[0],
            -1,
            null,
            0,
            (short) 0,
            (byte) 0,
            Double.NaN,
            Float.NEGATIVE_INFINITY,
            null,
            false,
            'é',
            ID,
            null,
            Side.SELL,
            new Place(null, 0));
    assertThat(text(sparse))
        .contains("\"text\":null", "\"lots\":null", "\"rate\":null", "\"at\":null")
        .contains("\"price\":\"NaN\"", "\"share\":\"-Infinity\"")
        .endsWith("\"place\":{\"town\":null,\"number\":0}}");
    assertThat(text(new Empty())).isEqualTo("{}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "json",
        "string ",
        "record",
        "record X",
        "record X(a)",
        "record X(a int",
        "record X(a int,b int)",
        "record X(a json)",
        "enum",
        "enum X Y",
        "list of string"
      })
  void otherFormatsAreNeitherReadNorWritten(String format) {
    TextCodec codec = TextCodec.of(format);
    assertThat(codec.format()).isEqualTo(format);
    assertThat(codec.readable()).isFalse();
    assertThat(codec.writable()).isFalse();
    assertThatThrownBy(() -> codec.decode(ByteInput.of(new byte[4])))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void recordsAreOnlyRead() {
    TextCodec codec = TextCodec.of(Codecs.of(Place.class).format());
    assertThat(codec.readable()).isTrue();
    assertThat(codec.writable()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"int", "boolean", "char", "instant", "uuid"})
  void textOfAnotherFormatIsRefused(String format) {
    assertThatThrownBy(() -> TextCodec.of(format).encode("many words", new ByteOutput()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @SuppressWarnings("unchecked") // the codec is that of the value's class
  private static Codec<Object> codec(Object value) {
    Class<?> type = value instanceof Side ? Side.class : value.getClass();
    return (Codec<Object>) Codecs.of(type);
  }

  private static byte[] bytes(Object value) {
    ByteOutput out = new ByteOutput();
    codec(value).encode(value, out);
    return out.toByteArray();
  }

  private static String text(Object value) {
    return TextCodec.of(codec(value).format()).decode(ByteInput.of(bytes(value)));
  }

  private static byte[] written(Object ofFormat, String text) {
    ByteOutput out = new ByteOutput();
    TextCodec.of(codec(ofFormat).format()).encode(text, out);
    return out.toByteArray();
  }
}
