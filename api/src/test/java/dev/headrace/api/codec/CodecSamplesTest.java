package dev.headrace.api.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
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
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes as they lie in caches. They must be read for ever: a sample that fails means a new format,
 * which needs a new name, and never a new sample.
 */
final class CodecSamplesTest {
  private static final String LINE = "record Line(name string, count int, max int?)";
  private static final String ID = "record Id(uuid uuid?, at instant?, color enum Color)";
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

  private enum Color {
    RED,
    GREEN
  }

  private record Id(@Nullable UUID uuid, @Nullable Instant at, @Nullable Color color) {}

  private record Line(@Nullable String name, int count, @Nullable Integer max) {}

  private record Sparse(List<@Nullable Integer> numbers) {}

  private record Flags(
      boolean a,
      @Nullable Boolean b,
      byte c,
      Byte d,
      short e,
      char f,
      float g,
      long h,
      double i,
      @Nullable Character j) {}

  private record Basket(
      Id id,
      @Nullable Line first,
      List<Line> lines,
      Map<String, Long> sums,
      Optional<String> note,
      Payment payment) {}

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
            scalars(), numbersAndTimes(), arrays(), collections(), compositions(), evolved())
        .flatMap(Function.identity());
  }

  private static Stream<Sample> scalars() {
    return Stream.of(
        sample("aé", "string", "61c3a9"),
        sample("", "string", ""),
        sample(new byte[] {1, -1}, "bytes", "01ff"),
        sample((byte) -1, "byte", "ff"),
        sample((short) -2, "short", "fffe"),
        sample(Integer.MIN_VALUE, "int", "80000000"),
        sample(-2L, "long", "fffffffffffffffe"),
        sample('é', "char", "00e9"),
        sample(true, "boolean", "01"),
        sample(false, "boolean", "00"),
        sample(-0.5f, "float", "bf000000"),
        sample(1.5, "double", "3ff8000000000000"),
        sample(-0.0, "double", "8000000000000000"),
        sample(Double.NaN, "double", "7ff8000000000000"),
        sample(new UUID(1, -1), "uuid", "0000000000000001 ffffffffffffffff"),
        sample(Instant.EPOCH, "instant", "0000000000000000 00000000"),
        sample(Instant.ofEpochSecond(-1, 2), "instant", "ffffffffffffffff 00000002"),
        sample(Color.GREEN, "enum Color", "475245454e"),
        sample(URI.create("http://é/"), "uri", "687474703a2f2fc3a92f"));
  }

  private static Stream<Sample> numbersAndTimes() {
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
        sample(Year.of(2026), "year", "800007ea"));
  }

  private static Stream<Sample> arrays() {
    return Stream.of(
        sample(new short[] {1, -1}, "array(short)", "0001 ffff"),
        sample(new int[] {1, -1}, "array(int)", "00000001 ffffffff"),
        sample(new long[] {1, -1}, "array(long)", "0000000000000001 ffffffffffffffff"),
        sample(new char[] {'a', 'é'}, "array(char)", "0061 00e9"),
        sample(new boolean[] {true, false}, "array(boolean)", "01 00"),
        sample(new float[] {-0.5f}, "array(float)", "bf000000"),
        sample(new double[] {1.5}, "array(double)", "3ff8000000000000"),
        sample(new String[] {"a", ""}, "array(string)", "01 61 00"),
        sample(new Color[] {Color.RED}, "array(enum Color)", "03 524544"),
        sample(new Period[] {Period.ofDays(1)}, "array(period)", "03 000002"),
        sample(new UUID[] {new UUID(1, 2)}, "array(uuid)", "0000000000000001 0000000000000002"),
        sample(
            new Line[] {new Line("a", 1, 2)},
            "array(" + LINE + ")",
            "0c 010161 00000001 0100000002"));
  }

  private static Stream<Sample> collections() {
    return Stream.of(
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
            Codecs.list(Codecs.of(Color.class)),
            List.of(Color.RED),
            "list(enum Color)",
            "03524544"),
        sample(
            Codecs.set(Codecs.of(UUID.class)),
            Set.of(new UUID(1, 2), new UUID(0, 3)),
            "set(uuid)",
            "0000000000000000 0000000000000003 0000000000000001 0000000000000002"),
        sample(
            Codecs.map(Codecs.of(UUID.class), Codecs.of(Instant.class)),
            Map.of(new UUID(1, 2), Instant.EPOCH),
            "map(uuid, instant)",
            "0000000000000001 0000000000000002 0000000000000000 00000000"),
        sample(
            Codecs.optional(Codecs.of(Instant.class)),
            Optional.of(Instant.EPOCH),
            "optional(instant)",
            "01 0000000000000000 00000000"));
  }

  private static Stream<Sample> compositions() {
    String flags =
        "record Flags(a boolean, b boolean?, c byte, d byte?, e short, f char, g float, h long,"
            + " i double, j char?)";
    String basket =
        "record Basket(id "
            + ID
            + ", first "
            + LINE
            + ", lines list("
            + LINE
            + "), sums map(string, long), note optional(string), payment sealed Payment(record"
            + " Cash(amount bigdecimal), record Card(number string)))";
    return Stream.of(
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
            "01 02 416c 01"),
        sample(new Line("a", 1, null), LINE, "01 01 61 00000001 00"),
        sample(new Line(null, -1, 2), LINE, "00 ffffffff 01 00000002"),
        sample(
            new Id(new UUID(1, 2), Instant.ofEpochSecond(3, 4), Color.RED),
            ID,
            "01 0000000000000001 0000000000000002 01 0000000000000003 00000004 01 03 524544"),
        sample(new Id(null, null, null), ID, "00 00 00"),
        sample(
            new Flags(true, null, (byte) 1, (byte) 2, (short) 3, 'a', 1.5f, 4, 2.5, null),
            flags,
            "01 00 01 0102 0003 0061 3fc00000 0000000000000004 4004000000000000 00"),
        sample(
            new Sparse(Arrays.asList(1, null)),
            "record Sparse(numbers list(int?))",
            "01 06 01 00000001 00"),
        sample(
            new Basket(
                new Id(null, null, Color.RED),
                null,
                List.of(new Line("a", 1, 2)),
                Map.of("x", 1L),
                Optional.empty(),
                new Card("7")),
            basket,
            "01 07 00 00 01 03 524544 00 01 0d 0c 010161 00000001 0100000002 01 0a 01 78"
                + " 000000000000000101 01 00 01 04 01 01 01 37"));
  }

  /** Values of a cache that began with fewer components, or with some that are gone. */
  private static Stream<Sample> evolved() {
    String fewer = "record Line(count int)";
    String others = "record Line(count int, gone string, old long)";
    return Stream.of(
        sample(
            Codecs.evolved(Codecs.of(Line.class), fewer),
            new Line("a", 1, 7),
            fewer,
            "00000001 03 6d6178 03 696e74 01 04 00000007 04 6e616d65 06 737472696e67 01 01 61"),
        sample(
            Codecs.evolved(Codecs.of(Line.class), fewer),
            new Line(null, 1, null),
            fewer,
            "00000001"),
        sample(
            Codecs.evolved(Codecs.of(Line.class), others),
            new Line("a", 1, null),
            others,
            "00000001 00 0000000000000000 04 6e616d65 06 737472696e67 01 01 61"));
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

  @Test
  void everyBuiltInFormatHasASample() {
    Set<String> sampled = samples().map(Sample::format).collect(Collectors.toUnmodifiableSet());
    assertThat(Codecs.BUILT_IN.values().stream().map(Codec::format)).isSubsetOf(sampled);
  }
}
