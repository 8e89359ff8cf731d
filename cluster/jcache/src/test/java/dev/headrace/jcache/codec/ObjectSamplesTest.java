package dev.headrace.jcache.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes as they lie in the caches of JCache's programs. They must be read for ever: a sample that
 * fails means a new format, which needs a new name, and never a new sample. A further type needs a
 * further sample.
 */
final class ObjectSamplesTest {
  private static final LocalDateTime LOCAL = LocalDateTime.of(2026, 1, 31, 23, 59, 59, 1);
  private static final ObjectCodec CODEC =
      new ObjectCodec(
          new ObjectFilter(ObjectSamplesTest.class.getClassLoader(), Set.of(Quote.class), null));

  /** The number of the last type. */
  private static final int LAST = 17;

  /** A class of a program. */
  record Quote(String symbol, double price) implements Serializable {}

  /** An object and its bytes, of which the first is the number of its type. */
  private record Sample(Object value, String hex) {
    byte[] bytes() {
      return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    @Override
    public String toString() {
      return value.getClass().getSimpleName() + " " + hex;
    }
  }

  static Stream<Sample> samples() {
    return Stream.of(
        new Sample(
            new Quote("a", 1.5),
            "00 aced0005737200316465762e68656164726163652e6a63616368652e636f6465632e4"
                + "f626a65637453616d706c6573546573742451756f7465000000000000000002000244000"
                + "570726963654c000673796d626f6c7400124c6a6176612f6c616e672f537472696e673b7"
                + "8703ff800000000000074000161"),
        new Sample(
            new ArrayList<>(List.of("a")),
            "00 aced0005737200136a6176612e7574696c2e41727261794c6973747881d21d99c7619"
                + "d03000149000473697a657870000000017704000000017400016178"),
        new Sample("aé", "01 61c3a9"),
        new Sample(7, "02 00000007"),
        new Sample(7L, "03 0000000000000007"),
        new Sample((short) 7, "04 0007"),
        new Sample((byte) 7, "05 07"),
        new Sample(1.5, "06 3ff8000000000000"),
        new Sample(1.5f, "07 3fc00000"),
        new Sample(true, "08 01"),
        new Sample('é', "09 00e9"),
        new Sample(new byte[] {1, -1}, "0a 01ff"),
        new Sample(new UUID(1, 2), "0b 00000000000000010000000000000002"),
        new Sample(BigInteger.valueOf(-129), "0c ff7f"),
        new Sample(new BigDecimal("42.17"), "0d 041079"),
        new Sample(Instant.ofEpochSecond(5, 6), "0e 000000000000000500000006"),
        new Sample(LOCAL.toLocalDate(), "0f 8000005004"),
        new Sample(LOCAL, "10 80000050044e9455b43601"),
        new Sample(URI.create("http://é/"), "11 687474703a2f2fc3a92f"));
  }

  @ParameterizedTest
  @MethodSource("samples")
  void bytesAreWrittenAndReadAsEver(Sample sample) {
    ByteOutput out = new ByteOutput();
    CODEC.encode(sample.value(), out);
    assertThat(HexFormat.of().formatHex(out.toByteArray()))
        .isEqualTo(sample.hex().replace(" ", ""));
    assertThat(ObjectCodec.bytes(sample.value())).isEqualTo(sample.bytes());
    Object back = CODEC.decode(ByteInput.of(sample.bytes()));
    assertThat(Arrays.deepEquals(new Object[] {back}, new Object[] {sample.value()})).isTrue();
  }

  @Test
  void theFormatHasItsName() {
    assertThat(CODEC.format()).isEqualTo("jcache");
  }

  @Test
  void everyTypeHasASample() {
    assertThat(samples().map(sample -> (int) sample.bytes()[0]).distinct().sorted())
        .containsExactlyElementsOf(IntStream.rangeClosed(0, LAST).boxed().toList());
    assertThatThrownBy(() -> CODEC.decode(ByteInput.of(new byte[] {LAST + 1})))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the unknown type " + (LAST + 1));
  }
}
