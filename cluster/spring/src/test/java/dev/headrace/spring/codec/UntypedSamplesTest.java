package dev.headrace.spring.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.cache.support.NullValue;

/**
 * Bytes as they lie in the caches of Spring's applications. They must be read for ever: a sample
 * that fails means a new format, which needs a new name, and never a new sample. A further type
 * needs a further sample.
 */
final class UntypedSamplesTest {
  private static final LocalDateTime LOCAL = LocalDateTime.of(2026, 1, 31, 23, 59, 59, 1);
  private static final AllowedClasses OURS =
      new AllowedClasses(
          List.of("dev.headrace.spring.codec"), UntypedSamplesTest.class.getClassLoader());
  private static final Codec<Object> KEYS = new UntypedKeyCodec("labels", OURS);
  private static final Codec<Object> VALUES = new UntypedValueCodec("labels", OURS);

  /** The number of the last type. */
  private static final int LAST = 45;

  /** A kind of product. */
  enum Kind {
    BOOK
  }

  /** A product. */
  record Box(String name, int size) implements Serializable {}

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

  /** What keys and values have in common. */
  static Stream<Sample> simple() {
    return Stream.of(
        new Sample("aé", "10 61c3a9"),
        new Sample(new byte[] {1, -1}, "11 01ff"),
        new Sample(7, "12 00000007"),
        new Sample(7L, "13 0000000000000007"),
        new Sample((short) 7, "14 0007"),
        new Sample((byte) 7, "15 07"),
        new Sample(1.5, "16 3ff8000000000000"),
        new Sample(1.5f, "17 3fc00000"),
        new Sample(true, "18 01"),
        new Sample('é', "19 00e9"),
        new Sample(new UUID(1, 2), "1a 00000000000000010000000000000002"),
        new Sample(Instant.ofEpochSecond(5, 6), "1b 000000000000000500000006"),
        new Sample(LOCAL.toLocalDate(), "1c 8000005004"),
        new Sample(LOCAL.toLocalTime(), "1d 4e9455b43601"),
        new Sample(LOCAL, "1e 80000050044e9455b43601"),
        new Sample(
            OffsetDateTime.of(LOCAL, ZoneOffset.ofHours(-5)), "1f 80000050044e9455b4360100b6d0"),
        new Sample(
            ZonedDateTime.of(LOCAL, ZoneId.of("Europe/Paris")),
            "20 80000050044e9455b43601010b304575726f70652f5061726973"),
        new Sample(Duration.ofSeconds(1, 2), "21 800000000000000100000002"),
        new Sample(Period.of(1, -2, 64), "22 02038001"),
        new Sample(Year.of(2026), "23 800007ea"),
        new Sample(URI.create("http://é/"), "24 687474703a2f2fc3a92f"),
        new Sample(BigInteger.valueOf(-129), "25 ff7f"),
        new Sample(new BigDecimal("42.17"), "26 041079"),
        new Sample(new int[] {1, -1}, "27 00000001ffffffff"),
        new Sample(new long[] {1}, "28 0000000000000001"),
        new Sample(new short[] {1}, "29 0001"),
        new Sample(new char[] {'a'}, "2a 0061"),
        new Sample(new double[] {1.5}, "2b 3ff8000000000000"),
        new Sample(new float[] {1.5f}, "2c 3fc00000"),
        new Sample(new boolean[] {true, false}, "2d 0100"));
  }

  static Stream<Sample> values() {
    return Stream.concat(
        simple(),
        Stream.of(
            new Sample(NullValue.INSTANCE, "00"),
            new Sample(
                new Box("a", 7),
                "01 aced0005737200306465762e68656164726163652e737072696e672e636f6465632e5"
                    + "56e747970656453616d706c65735465737424426f7800000000000000000200024900047"
                    + "3697a654c00046e616d657400124c6a6176612f6c616e672f537472696e673b787000000"
                    + "00774000161"),
            new Sample(
                new ArrayList<>(List.of("a")),
                "01 aced0005737200136a6176612e7574696c2e41727261794c6973747881d21d99c7619"
                    + "d03000149000473697a657870000000017704000000017400016178")));
  }

  static Stream<Sample> keys() {
    return Stream.concat(
        simple(),
        Stream.of(
            new Sample(
                Kind.BOOK,
                "02 6465762e68656164726163652e737072696e672e636f6465632e556e7479706564536"
                    + "16d706c657354657374244b696e6420424f4f4b"),
            new Sample(SimpleKey.EMPTY, "03 00"),
            new Sample(new SimpleKey("a", 1, null), "03 030210610512000000010100"),
            new Sample(
                new SimpleKey(List.of(Kind.BOOK), new int[] {1}),
                "03 023a040137026465762e68656164726163652e737072696e672e636f6465632e556e7"
                    + "47970656453616d706c657354657374244b696e6420424f4f4b052700000001"),
            new Sample(Arrays.asList("a", null), "04 020210610100"),
            new Sample(new Object[] {1, "a"}, "05 02051200000001021061")));
  }

  @ParameterizedTest
  @MethodSource("values")
  void valuesAreWrittenAndReadAsEver(Sample sample) {
    assertSame(VALUES, sample.value(), sample.bytes());
  }

  @ParameterizedTest
  @MethodSource("keys")
  void keysAreWrittenAndReadAsEver(Sample sample) {
    assertSame(KEYS, sample.value(), sample.bytes());
  }

  private static void assertSame(Codec<Object> codec, Object value, byte[] sample) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    assertThat(HexFormat.of().formatHex(out.toByteArray()))
        .isEqualTo(HexFormat.of().formatHex(sample));
    Object back = codec.decode(ByteInput.of(sample));
    assertThat(Arrays.deepEquals(new Object[] {back}, new Object[] {value})).isTrue();
  }

  @Test
  void theirFormatsHaveTheirNames() {
    assertThat(KEYS.format()).isEqualTo("spring-key");
    assertThat(VALUES.format()).isEqualTo("spring-value");
  }

  @Test
  void everyTypeHasASample() {
    TreeSet<Integer> numbers = new TreeSet<>();
    Stream.concat(keys(), values()).forEach(sample -> numbers.add((int) sample.bytes()[0]));
    List<Integer> all = new ArrayList<>();
    for (int number = 0; number <= LAST; number++) {
      if (number <= TaggedTypes.ARRAY || number >= 16) {
        all.add(number);
      }
    }
    assertThat(numbers).containsExactlyElementsOf(all);
    for (Codec<Object> codec : List.of(KEYS, VALUES)) {
      assertThatThrownBy(() -> codec.decode(ByteInput.of(new byte[] {LAST + 1})))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("has the number " + (LAST + 1));
    }
  }

  @Test
  void valuesOfANamedTypeAreThoseOfItsCodec() {
    assertConfigured(
        ConfiguredCodec.of(Integer.class, "type", true), 7, "optional(int)", "0100000007");
    assertConfigured(
        ConfiguredCodec.of(Integer.class, "type", true), NullValue.INSTANCE, "optional(int)", "00");
    assertConfigured(ConfiguredCodec.of(int.class, "type", false), 7, "int", "00000007");
    assertConfigured(
        ConfiguredCodec.of(Box.class, "type", true),
        new Box("a", 7),
        "optional(record Box(name string, size int))",
        "0101016100000007");
  }

  private static void assertConfigured(
      ConfiguredCodec<?> codec, Object value, String format, String hex) {
    assertThat(codec.format()).isEqualTo(format);
    assertSame(codec, value, HexFormat.of().parseHex(hex));
  }
}
