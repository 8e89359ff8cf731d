package dev.headrace.api.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import org.jspecify.annotations.Nullable;

/** Values of everyday types come back, and equal ones have equal bytes. */
final class EverydayTypesTest {
  private static final long LAST_DAY = LocalDate.MAX.toEpochDay();
  private static final long LAST_NANO = 86_400_000_000_000L - 1;

  @Property
  void bigNumbersComeBack(@ForAll BigInteger value, @ForAll int scale) {
    assertComesBack(Codecs.of(BigInteger.class), value);
    assertComesBack(Codecs.of(BigDecimal.class), new BigDecimal(value, scale));
    BigInteger large = value.pow(5).negate();
    assertComesBack(Codecs.of(BigInteger.class), large);
    assertComesBack(Codecs.of(BigDecimal.class), new BigDecimal(large, scale));
  }

  @Example
  void bigNumbersAtTheEdgesOfLongAndOfBytesComeBack() {
    for (int bits = 0; bits < 130; bits++) {
      for (int off = -2; off <= 2; off++) {
        BigInteger value = BigInteger.ONE.shiftLeft(bits).add(BigInteger.valueOf(off));
        assertComesBack(Codecs.of(BigInteger.class), value);
        assertComesBack(Codecs.of(BigInteger.class), value.negate());
        assertComesBack(Codecs.of(BigDecimal.class), new BigDecimal(value.negate(), bits - 60));
        assertThat(bytes(Codecs.of(BigInteger.class), value)).isEqualTo(value.toByteArray());
        byte[] decimal = bytes(Codecs.of(BigDecimal.class), new BigDecimal(value, 3));
        assertThat(decimal).startsWith(6).endsWith(value.toByteArray());
      }
    }
    assertComesBack(Codecs.of(BigDecimal.class), new BigDecimal(BigInteger.ONE, Integer.MIN_VALUE));
  }

  @Property
  void datesComeBackInTheirOrder(@ForAll("dates") LocalDate one, @ForAll("dates") LocalDate two) {
    assertComesBack(Codecs.of(LocalDate.class), one);
    assertOrdered(Codecs.of(LocalDate.class), one, two, one.compareTo(two));
    assertOrdered(
        Codecs.of(Year.class),
        Year.of(one.getYear()),
        Year.of(two.getYear()),
        Integer.compare(one.getYear(), two.getYear()));
    assertComesBack(Codecs.of(Year.class), Year.of(one.getYear()));
  }

  @Property
  void timesComeBackInTheirOrder(@ForAll("times") LocalTime one, @ForAll("times") LocalTime two) {
    assertComesBack(Codecs.of(LocalTime.class), one);
    assertOrdered(Codecs.of(LocalTime.class), one, two, one.compareTo(two));
  }

  @Property
  void datesWithTimesComeBackInTheirOrder(
      @ForAll("dates") LocalDate date,
      @ForAll("dates") LocalDate other,
      @ForAll("times") LocalTime time) {
    LocalDateTime one = date.atTime(time);
    LocalDateTime two = other.atTime(time.plusHours(5));
    assertComesBack(Codecs.of(LocalDateTime.class), one);
    assertOrdered(Codecs.of(LocalDateTime.class), one, two, one.compareTo(two));
  }

  @Property
  void durationsComeBackInTheirOrder(
      @ForAll long seconds, @ForAll long others, @ForAll @LongRange(max = 999_999_999) long nanos) {
    Duration one = Duration.ofSeconds(seconds, nanos);
    Duration two = Duration.ofSeconds(others, 999_999_999 - nanos);
    assertComesBack(Codecs.of(Duration.class), one);
    assertOrdered(Codecs.of(Duration.class), one, two, one.compareTo(two));
  }

  @Property(tries = 200)
  void timesOfZonesComeBack(
      @ForAll("dates") LocalDate date,
      @ForAll("times") LocalTime time,
      @ForAll("zones") ZoneId zone) {
    LocalDateTime local = date.withYear(Math.floorMod(date.getYear(), 4000)).atTime(time);
    ZonedDateTime zoned = local.atZone(zone);
    assertComesBack(Codecs.of(ZonedDateTime.class), zoned);
    assertComesBack(Codecs.of(ZonedDateTime.class), zoned.withLaterOffsetAtOverlap());
    assertComesBack(Codecs.of(OffsetDateTime.class), zoned.toOffsetDateTime());
  }

  @Property
  void periodsComeBack(@ForAll int years, @ForAll int months, @ForAll int days) {
    assertComesBack(Codecs.of(Period.class), Period.of(years, months, days));
  }

  @Property
  void addressesComeBack(@ForAll("words") String path, @ForAll("words") String query)
      throws Exception {
    assertComesBack(
        Codecs.of(URI.class), new URI("https", "me@example.org:8443", "/" + path, query, "é"));
    assertComesBack(Codecs.of(URI.class), URI.create("urn:isbn:0451450523"));
  }

  @Property(tries = 200)
  void listsAndSetsComeBack(@ForAll List<String> texts, @ForAll List<Integer> numbers) {
    List<String> wellFormed = texts.stream().map(EverydayTypesTest::wellFormed).toList();
    assertComesBack(Codecs.list(Codecs.string()), wellFormed);
    assertComesBack(Codecs.list(Codecs.of(int.class)), numbers);
    assertComesBack(Codecs.set(Codecs.string()), new LinkedHashSet<>(wellFormed));
    assertComesBack(Codecs.set(Codecs.of(int.class)), new LinkedHashSet<>(numbers));
    assertComesBack(Codecs.list(Codecs.list(Codecs.of(int.class))), List.of(numbers, numbers));
  }

  @Example
  void setsOfAnySizeAreInTheOrderOfTheirBytes() {
    List<Integer> sorted = new ArrayList<>();
    for (int size = 0; size < 70; size++) {
      List<Integer> shuffled = new ArrayList<>(sorted);
      Collections.shuffle(shuffled, new Random(size));
      assertThat(bytes(Codecs.set(Codecs.of(int.class)), new LinkedHashSet<>(shuffled)))
          .isEqualTo(bytes(Codecs.list(Codecs.of(int.class)), sorted));
      sorted.add(size * 7);
    }
  }

  @Property(tries = 200)
  void equalSetsAndMapsHaveEqualBytes(@ForAll Set<Integer> numbers, @ForAll long seed) {
    List<Integer> shuffled = new ArrayList<>(numbers);
    Collections.shuffle(shuffled, new Random(seed));
    Codec<Set<Integer>> sets = Codecs.set(Codecs.of(int.class));
    assertThat(bytes(sets, new LinkedHashSet<>(shuffled))).isEqualTo(bytes(sets, numbers));

    Map<String, List<Integer>> one = new LinkedHashMap<>();
    Map<String, List<Integer>> two = new HashMap<>();
    numbers.forEach(n -> one.put("x".repeat(Math.floorMod(n, 300)) + n, List.of(n)));
    shuffled.forEach(n -> two.put("x".repeat(Math.floorMod(n, 300)) + n, List.of(n)));
    Codec<Map<String, List<Integer>>> maps =
        Codecs.map(Codecs.string(), Codecs.list(Codecs.of(int.class)));
    assertThat(bytes(maps, one)).isEqualTo(bytes(maps, two));
    assertComesBack(maps, two);
  }

  @Property
  void optionalsComeBack(@ForAll int number) {
    Codec<Optional<Integer>> numbers = Codecs.optional(Codecs.of(int.class));
    assertComesBack(numbers, Optional.of(number));
    assertComesBack(numbers, Optional.empty());
    assertComesBack(Codecs.optional(Codecs.string()), Optional.of(""));
    assertComesBack(
        Codecs.optional(Codecs.optional(Codecs.string())), Optional.of(Optional.empty()));
  }

  @Property(tries = 200)
  void arraysComeBack(@ForAll int[] ints, @ForAll double[] doubles, @ForAll boolean[] booleans) {
    assertThat(back(Codecs.of(int[].class), ints)).isEqualTo(ints);
    assertThat(back(Codecs.of(double[].class), doubles)).isEqualTo(doubles);
    assertThat(back(Codecs.of(boolean[].class), booleans)).isEqualTo(booleans);
    long[] longs = Arrays.stream(ints).asLongStream().map(i -> i << 20).toArray();
    assertThat(back(Codecs.of(long[].class), longs)).isEqualTo(longs);
    int[][] nested = {ints, {}, ints};
    assertThat(back(Codecs.of(int[][].class), nested)).isEqualTo(nested);
    Integer[] boxed = Arrays.stream(ints).boxed().toArray(Integer[]::new);
    assertThat(back(Codecs.of(Integer[].class), boxed)).isEqualTo(boxed);
    String[] texts = Arrays.stream(ints).mapToObj(i -> "n" + i).toArray(String[]::new);
    assertThat(back(Codecs.of(String[].class), texts)).isEqualTo(texts);
    assertThat(back(Codecs.array(String.class, Codecs.string()), texts)).isEqualTo(texts);
  }

  @Property(tries = 200)
  void arraysOfSmallNumbersComeBack(
      @ForAll short[] shorts, @ForAll float[] floats, @ForAll char[] chars) {
    assertThat(back(Codecs.of(short[].class), shorts)).isEqualTo(shorts);
    assertThat(back(Codecs.of(float[].class), floats)).isEqualTo(floats);
    assertThat(back(Codecs.of(char[].class), chars)).isEqualTo(chars);
  }

  private enum Side {
    LEFT,
    RIGHT
  }

  private sealed interface Shape permits Circle, Box, Nowhere {}

  private record Circle(double radius) implements Shape {}

  private record Box(BigDecimal width, @Nullable Circle hole) implements Shape {}

  private enum Nowhere implements Shape {
    HERE
  }

  @SuppressWarnings("ArrayRecordComponent") // Compared part by part.
  private record Everything(
      @Nullable List<@Nullable String> texts,
      Map<Side, ? extends Shape> shapes,
      Set<LocalDate> days,
      Optional<Instant> since,
      int[] counts,
      List<Integer>[] groups,
      Shape shape,
      @Nullable Duration delay) {

    /** Arrays have no equality. */
    List<Object> parts() {
      return Arrays.asList(
          texts, shapes, days, since, Arrays.toString(counts), List.of(groups), shape, delay);
    }
  }

  @Property(tries = 200)
  @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of generic types
  void recordsOfAllOfTheseComeBack(@ForAll List<Integer> numbers, @ForAll boolean some) {
    List<@Nullable String> texts = new ArrayList<>();
    numbers.forEach(n -> texts.add(n % 3 == 0 ? null : "n" + n));
    Everything value =
        new Everything(
            some ? texts : null,
            Map.of(Side.RIGHT, new Circle(2), Side.LEFT, Nowhere.HERE),
            Set.of(LocalDate.EPOCH, LocalDate.MIN, LocalDate.MAX),
            some ? Optional.of(Instant.EPOCH) : Optional.empty(),
            numbers.stream().mapToInt(n -> n).toArray(),
            new List[] {numbers, List.of()},
            some ? new Box(BigDecimal.TEN, null) : new Circle(1),
            some ? null : Duration.ofNanos(1));
    Codec<Everything> codec = Codecs.of(Everything.class);

    assertThat(back(codec, value).parts()).isEqualTo(value.parts());
    assertThat(codec.format())
        .isEqualTo(
            "record Everything(texts list(string?), shapes map(enum Side, sealed Shape(record"
                + " Circle(radius double), record Box(width bigdecimal, hole record Circle(radius"
                + " double)), enum Nowhere)), days set(date), since optional(instant), counts"
                + " array(int), groups array(list(int)), shape sealed Shape(record Circle(radius"
                + " double), record Box(width bigdecimal, hole record Circle(radius double)), enum"
                + " Nowhere), delay duration?)");
  }

  @Provide
  Arbitrary<LocalDate> dates() {
    return Arbitraries.oneOf(
            Arbitraries.longs().between(-LAST_DAY, LAST_DAY),
            Arbitraries.longs().between(-40_000, 40_000),
            Arbitraries.of(LocalDate.MIN.toEpochDay(), LAST_DAY, -1L, 0L))
        .map(LocalDate::ofEpochDay);
  }

  @Provide
  Arbitrary<LocalTime> times() {
    return Arbitraries.longs().between(0, LAST_NANO).map(LocalTime::ofNanoOfDay);
  }

  @Provide
  Arbitrary<ZoneId> zones() {
    Arbitrary<ZoneId> regions =
        Arbitraries.of("Europe/Paris", "America/New_York", "Asia/Kolkata", "UTC", "GMT+2", "Z")
            .map(ZoneId::of);
    return Arbitraries.oneOf(
        regions, Arbitraries.integers().between(-64_800, 64_800).map(ZoneOffset::ofTotalSeconds));
  }

  @Provide
  Arbitrary<String> words() {
    return Combinators.combine(
            Arbitraries.strings().alpha().ofMaxLength(20), Arbitraries.of("", " ", "ü", "%", "?"))
        .as((text, end) -> text + end);
  }

  private static String wellFormed(String text) {
    return text.replaceAll("[\\uD800-\\uDFFF]", "?");
  }

  private static <T> void assertOrdered(Codec<T> codec, T one, T two, int order) {
    int ofBytes = Arrays.compareUnsigned(bytes(codec, one), bytes(codec, two));
    assertThat(Integer.signum(ofBytes)).isEqualTo(Integer.signum(order));
  }

  private static <T> void assertComesBack(Codec<T> codec, T value) {
    assertThat(back(codec, value)).isEqualTo(value);
  }

  /** Reads it on the heap and off it, behind other bytes; both are the same. */
  private static <T> T back(Codec<T> codec, T value) {
    byte[] bytes = bytes(codec, value);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 5).put(3, bytes);
    ByteInput in = new ByteInput();
    in.reset(direct, 3, 3 + bytes.length);
    T offHeap = codec.decode(in);
    T onHeap = codec.decode(ByteInput.of(bytes));
    assertThat(bytes(codec, offHeap)).isEqualTo(bytes);
    assertThat(bytes(codec, onHeap)).isEqualTo(bytes);
    return onHeap;
  }

  private static <T> byte[] bytes(Codec<T> codec, T value) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    return out.toByteArray();
  }
}
