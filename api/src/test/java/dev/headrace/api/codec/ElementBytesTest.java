package dev.headrace.api.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Parts of values have the bytes that their formats say, whichever codec writes them. */
final class ElementBytesTest {
  private static final Instant TIME = Instant.parse("2026-01-31T23:59:59.5Z");

  private record Visit(Instant at, int visitor) {}

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record EncodedVisit(byte[] at, int visitor) {}

  private record Distance(long metres) {}

  /** A codec of numbers as decimal digits, with any format. */
  private record Digits(String format) implements Codec<Long> {

    @Override
    public void encode(Long value, ByteOutput out) {
      out.writeUtf8(value.toString());
    }

    @Override
    public Long decode(ByteInput in) {
      return Long.valueOf(in.readUtf8(in.remaining()));
    }
  }

  @Test
  void anEncodedComponentOfFixedSizeHasNoLength() {
    Codec<EncodedVisit> encoded =
        Codecs.record(EncodedVisit.class).with("at", Codecs.encoded("instant"));
    Codec<Visit> visits = Codecs.of(Visit.class);
    byte[] bytes = bytes(visits, new Visit(TIME, 7));

    byte[] at = bytes(Codecs.of(Instant.class), TIME);
    assertThat(bytes(encoded, new EncodedVisit(at, 7))).isEqualTo(bytes);
    assertThat(encoded.decode(ByteInput.of(bytes)).at()).isEqualTo(at);
    assertThat(encoded.format().replace("EncodedVisit", "Visit")).isEqualTo(visits.format());
    CodecLayout.Composite layout = (CodecLayout.Composite) CodecLayout.of(encoded);
    assertThat(layout.components().get(0).sizeBytes()).isEqualTo(12);
  }

  @Test
  void encodedElementsHaveTheBytesOfThoseThatAreNot() {
    Codec<List<byte[]>> encoded = Codecs.list(Codecs.encoded("int"));
    byte[] bytes = bytes(Codecs.list(Codecs.of(Integer.class)), List.of(1, 2));

    assertThat(bytes(encoded, List.of(new byte[] {0, 0, 0, 1}, new byte[] {0, 0, 0, 2})))
        .isEqualTo(bytes);
    assertThat(encoded.decode(ByteInput.of(bytes))).hasSize(2);
  }

  @Test
  void encodedElementsOfAnotherSizeAreRefused() {
    Codec<List<byte[]>> encoded = Codecs.list(Codecs.encoded("int"));
    assertThatThrownBy(() -> bytes(encoded, List.of(new byte[3])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has 4 bytes, but not 3");
  }

  @Test
  void aCodecThatCallsItselfLikeABuiltInOneOfFixedSizeIsNoPart() {
    assertThatThrownBy(() -> Codecs.list(new Digits("long")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("The format \"long\" of " + Digits.class.getName());
    assertThatThrownBy(() -> Codecs.record(Distance.class).with("metres", new Digits("long")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aPrimitiveComponentOfVariableSizeSaysThatItIsThere() {
    Codec<Distance> codec = Codecs.record(Distance.class).with("metres", new Digits("string"));
    byte[] bytes = bytes(codec, new Distance(42));

    assertThat(bytes).containsExactly(1, 2, '4', '2');
    assertThat(codec.decode(ByteInput.of(bytes))).isEqualTo(new Distance(42));
    CodecLayout.Composite byCodec = (CodecLayout.Composite) CodecLayout.of(codec);
    CodecLayout.Composite byFormat = (CodecLayout.Composite) CodecLayout.ofFormat(codec.format());
    assertThat(byCodec.components().get(0).nullable()).isTrue();
    assertThat(byFormat.components().get(0).nullable()).isTrue();
    assertThatThrownBy(() -> codec.decode(ByteInput.of(new byte[1])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is never null");
  }

  private static <T> byte[] bytes(Codec<T> codec, T value) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    return out.toByteArray();
  }
}
