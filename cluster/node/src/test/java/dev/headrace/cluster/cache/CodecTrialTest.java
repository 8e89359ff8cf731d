package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.CodecException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Which codecs are refused with the first object that is written. */
class CodecTrialTest {

  record Price(String symbol, int cents) {}

  @SuppressWarnings("ArrayRecordComponent") // that is what is tested
  record Picture(String name, byte[] pixels) {}

  private static <T> Codec<T> codec(
      BiConsumer<T, ByteOutput> encoder, Function<ByteInput, T> decoder) {
    return new Codec<>() {
      @Override
      public String format() {
        return "of a test";
      }

      @Override
      public void encode(T value, ByteOutput out) {
        encoder.accept(value, out);
      }

      @Override
      public T decode(ByteInput in) {
        return decoder.apply(in);
      }
    };
  }

  private static <T> void tryOut(CodecTrial<T> trial, Codec<T> codec, T object) {
    ByteOutput out = new ByteOutput();
    codec.encode(object, out);
    trial.check(object, out.toByteArray());
  }

  private static <T> void tryValue(Codec<T> codec, T value) {
    tryOut(CodecTrial.ofValues(codec, "prices"), codec, value);
  }

  private static final Codec<Price> FORGETFUL =
      codec(
          (price, out) -> out.writeBytes(price.symbol().getBytes(StandardCharsets.UTF_8)),
          in -> new Price(new String(in.readBytes(in.remaining()), StandardCharsets.UTF_8), 0));

  @Test
  void whatLosesAPartIsRefused() {
    assertThatThrownBy(() -> tryValue(FORGETFUL, new Price("ACME", 42)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("\"prices\"")
        .hasMessageContaining("not equal")
        .hasMessageContaining("nothing was written");
  }

  @Test
  void whatCannotBeReadIsRefusedWithTheReason() {
    Codec<Price> unreadable =
        codec(
            (price, out) -> out.writeByte(1),
            in -> {
              throw new IllegalArgumentException("component cents: no such number");
            });

    assertThatThrownBy(() -> tryValue(unreadable, new Price("ACME", 42)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("component cents: no such number")
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void keysWhoseBytesDifferFromTimeToTimeAreRefused() {
    Codec<String> restless =
        codec(
            (key, out) -> {
              out.writeLong(System.nanoTime());
              out.writeBytes(key.getBytes(StandardCharsets.UTF_8));
            },
            in -> {
              in.readLong();
              return new String(in.readBytes(in.remaining()), StandardCharsets.UTF_8);
            });

    assertThatThrownBy(() -> tryOut(CodecTrial.ofKeys(restless, "prices"), restless, "ACME"))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("other bytes");
    assertThatCode(() -> tryValue(restless, "ACME")).doesNotThrowAnyException();
  }

  @Test
  void arraysAreComparedByTheirElementsWhereverTheyLie() {
    byte[] pixels = {1, 2, 3};
    Codec<Picture> pictures = Codecs.record(Picture.class);
    assertThatCode(() -> tryValue(pictures, new Picture("a", pixels))).doesNotThrowAnyException();
    assertThatCode(() -> tryValue(Codecs.list(Codecs.bytes()), List.of(pixels)))
        .doesNotThrowAnyException();
  }

  @Test
  void aClassThatSaysNothingAboutEqualityIsAccepted() {
    Codec<Thread> nameless =
        codec((thread, out) -> out.writeByte(1), in -> new Thread("as good as any"));

    assertThatCode(() -> tryValue(nameless, new Thread())).doesNotThrowAnyException();
  }

  @Test
  void aClassWhoseObjectsEqualNothingElseIsAccepted() {
    final class Single {
      @Override
      public boolean equals(Object other) {
        return this == other;
      }

      @Override
      public int hashCode() {
        return System.identityHashCode(this);
      }
    }

    Codec<Single> singles = codec((single, out) -> out.writeByte(1), in -> new Single());

    assertThatCode(() -> tryValue(singles, new Single())).doesNotThrowAnyException();
  }

  @Test
  void aCodecThatLeavesPartsOutOnPurposeSaysSo() {
    Codec<Price> frank =
        new Codec<>() {
          @Override
          public String format() {
            return FORGETFUL.format();
          }

          @Override
          public void encode(Price value, ByteOutput out) {
            FORGETFUL.encode(value, out);
          }

          @Override
          public Price decode(ByteInput in) {
            return FORGETFUL.decode(in);
          }

          @Override
          public boolean keepsEquality() {
            return false;
          }
        };

    assertThatCode(() -> tryValue(frank, new Price("ACME", 42))).doesNotThrowAnyException();
  }

  @Test
  void whatComesAfterTheFirstIsNotTried() {
    CodecTrial<Price> trial = CodecTrial.ofValues(FORGETFUL, "prices");
    tryOut(trial, FORGETFUL, new Price("ACME", 0));

    assertThatCode(() -> tryOut(trial, FORGETFUL, new Price("ACME", 42)))
        .doesNotThrowAnyException();
  }
}
