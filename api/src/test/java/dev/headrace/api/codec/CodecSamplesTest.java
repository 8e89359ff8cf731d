package dev.headrace.api.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes as they lie in caches. They must be read for ever: a sample that fails means a new format,
 * which needs a new name, and never a new sample.
 */
final class CodecSamplesTest {
  private static final LocalDateTime LOCAL = LocalDateTime.of(2026, 1, 31, 23, 59, 59, 1);

  /** A value, the format's name and its bytes. */
  private record Sample(Codec<Object> codec, Object value, String format, String hex) {
    @Override
    public String toString() {
      return format + " " + value;
    }
  }

  private sealed interface Payment permits Cash, Card {}

  private record Cash(BigDecimal amount) implements Payment {}

  private record Card(String number) implements Payment {}

  /** A class of properties. */
  @SuppressWarnings("unused") // by reflection
  public static final class Person {
    private final String name;
    private final boolean active;

    public Person(String name, boolean active) {
      this.name = name;
      this.active = active;
    }

    public String getName() {
      return name;
    }

    public boolean isActive() {
      return active;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Person person && person.name.equals(name) && person.active == active;
    }

    @Override
    public int hashCode() {
      return name.hashCode();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static Sample sample(Codec<?> codec, Object value, String format, String hex) {
    return new Sample(Element.of(codec, false).codec(), value, format, hex.replace(" ", ""));
  }

  private static Sample sample(Object value, String format, String hex) {
    return sample(Codecs.of(value.getClass()), value, format, hex);
  }

  static Stream<Sample> samples() {
    return Stream.of(
        sample(BigInteger.ZERO, "biginteger", "00"),
        sample(BigInteger.valueOf(128), "biginteger", "0080"),
        sample(BigInteger.valueOf(-129), "biginteger", "ff7f"),
        sample(BigInteger.ONE.shiftLeft(64), "biginteger", "010000000000000000"),
        sample(new BigDecimal("42.17"), "bigdecimal", "04 1079"),
        sample(new BigDecimal("-1E+3"), "bigdecimal", "05 ff"),
        sample(LocalDate.EPOCH, "date", "8000000000"),
        sample(LocalDate.of(2026, 1, 31), "date", "8000005004"),
        sample(LocalDate.of(1969, 12, 31), "date", "7fffffffff"),
        sample(LocalTime.of(23, 59, 59, 1), "time", "4e9455b43601"),
        sample(LOCAL, "datetime", "8000005004 4e9455b43601"),
        sample(
            OffsetDateTime.of(LOCAL, ZoneOffset.ofHours(-5)),
            "offsetdatetime",
            "8000005004 4e9455b43601 00b6d0"),
        sample(
            ZonedDateTime.of(LOCAL, ZoneId.of("Europe/Paris")),
            "zoneddatetime",
            "8000005004 4e9455b43601 010b30 4575726f70652f5061726973"),
        sample(Duration.ofSeconds(1, 2), "duration", "8000000000000001 00000002"),
        sample(Duration.ofSeconds(-1), "duration", "7fffffffffffffff 00000000"),
        sample(Period.of(1, -2, 64), "period", "02 03 8001"),
        sample(Year.of(2026), "year", "800007ea"),
        sample(URI.create("http://é/"), "uri", "687474703a2f2fc3a92f"),
        sample(new int[] {1, -1}, "array(int)", "00000001 ffffffff"),
        sample(new String[] {"a", ""}, "array(string)", "01 61 00"),
        sample(Codecs.list(Codecs.string()), List.of("b", "a"), "list(string)", "01 62 01 61"),
        sample(Codecs.list(Codecs.of(short.class)), List.of((short) 7), "list(short)", "0007"),
        sample(
            Codecs.set(Codecs.string()), Set.of("b", "aa", "c"), "set(string)", "0162 0163 026161"),
        sample(
            Codecs.map(Codecs.of(int.class), Codecs.string()),
            Map.of(2, "b", 1, ""),
            "map(int, string)",
            "00000001 00 00000002 01 62"),
        sample(Codecs.optional(Codecs.string()), Optional.of("a"), "optional(string)", "01 61"),
        sample(Codecs.optional(Codecs.string()), Optional.empty(), "optional(string)", "00"),
        sample(
            Codecs.of(Payment.class),
            new Card("77"),
            "sealed Payment(record Cash(amount bigdecimal), record Card(number string))",
            "01 01 02 3737"),
        sample(
            Codecs.of(Payment.class),
            new Cash(BigDecimal.ONE),
            "sealed Payment(record Cash(amount bigdecimal), record Card(number string))",
            "00 01 02 00 01"),
        sample(
            Codecs.properties(Person.class, "name", "active"),
            new Person("Al", true),
            "record Person(name string, active boolean)",
            "01 02 416c 01"));
  }

  @ParameterizedTest
  @MethodSource("samples")
  void bytesAreWrittenAndReadAsEver(Sample sample) {
    ByteOutput out = new ByteOutput();
    sample.codec().encode(sample.value(), out);
    assertThat(HexFormat.of().formatHex(out.toByteArray())).isEqualTo(sample.hex());
    assertThat(sample.codec().format()).isEqualTo(sample.format());
    byte[] bytes = HexFormat.of().parseHex(sample.hex());
    Object back = sample.codec().decode(ByteInput.of(bytes));
    assertThat(Arrays.deepEquals(new Object[] {back}, new Object[] {sample.value()})).isTrue();
  }
}
