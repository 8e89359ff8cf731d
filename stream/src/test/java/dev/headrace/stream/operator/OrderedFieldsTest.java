package dev.headrace.stream.operator;

import static dev.headrace.api.stream.operator.Expressions.field;
import static dev.headrace.api.stream.operator.Expressions.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.stream.entry.EntryLayout;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Year;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Dates and times in conditions, and fields behind and within components of every kind. */
class OrderedFieldsTest {

  private record Place(String city) {}

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Shift(
      List<@Nullable String> tags,
      Map<String, Integer> counts,
      @Nullable LocalDate day,
      LocalTime from,
      Optional<String> note,
      Duration length,
      @Nullable LocalDateTime seen,
      BigDecimal pay,
      Year year,
      Place place,
      int[] marks,
      int number) {}

  private static final Codec<Shift> SHIFTS = Codecs.of(Shift.class);

  private final OperatorCompiler compiler =
      new OperatorCompiler(Codecs.of(LocalDate.class), SHIFTS);

  private static Shift shift(int days, @Nullable LocalDateTime seen) {
    LocalDate day = LocalDate.EPOCH.plusDays(days);
    return new Shift(
        List.of("x".repeat(Math.floorMod(days, 200))),
        Map.of("a", days),
        days == 0 ? null : day,
        LocalTime.MIDNIGHT.plusSeconds(days),
        days % 2 == 0 ? Optional.empty() : Optional.of("n"),
        Duration.ofSeconds(days, 5),
        seen,
        new BigDecimal(days),
        Year.of(days),
        new Place("Rome"),
        new int[Math.floorMod(days, 5)],
        days);
  }

  @Property
  void datesAndTimesAreComparedAsInJava(
      @ForAll @IntRange(min = -3_000, max = 3_000) int one,
      @ForAll @IntRange(min = -3_000, max = 3_000) int two) {
    LocalDateTime seen = LocalDateTime.of(1970, 1, 1, 0, 0).plusHours(one);
    byte[] page = entry(shift(one, seen));
    LocalDateTime otherSeen = LocalDateTime.of(1970, 1, 1, 0, 0).plusHours(two);
    Shift other = shift(two, otherSeen);
    LocalDate day = LocalDate.EPOCH.plusDays(two);

    assertThat(accepts(field("day").lt(day), page)).isEqualTo(one != 0 && one < two);
    assertThat(accepts(key().ge(day), page)).isEqualTo(one >= two);
    assertThat(accepts(field("from").gt(other.from()), page))
        .isEqualTo(shift(one, null).from().isAfter(other.from()));
    assertThat(accepts(field("length").le(other.length()), page)).isEqualTo(one <= two);
    assertThat(accepts(field("seen").eq(otherSeen), page)).isEqualTo(one == two);
    assertThat(accepts(field("year").between(other.year(), Year.of(two + 1)), page))
        .isEqualTo(one == two || one == two + 1);
    assertThat(accepts(field("day").in(day, day.plusDays(1)), page))
        .isEqualTo(one != 0 && (one == two || one == two + 1));
    assertThat(accepts(field("place.city").eq("Rome"), page)).isTrue();
    assertThat(accepts(field("number").eq(two), page)).isEqualTo(one == two);
  }

  @Test
  void whatIsAbsentIsFoundToBe() {
    byte[] page = entry(shift(0, null));

    assertThat(accepts(field("day").isNull(), page)).isTrue();
    assertThat(accepts(field("seen").isNull(), page)).isTrue();
    assertThat(accepts(field("from").isNull(), page)).isFalse();
    assertThat(accepts(field("pay").isNull(), page)).isFalse();
  }

  @Test
  void constantsOfAnotherTypeAreRefused() {
    refused(field("day").eq("2026-01-31"), "\"day\" is a date, which cannot be compared with the");
    refused(field("day").in("2026"), "is a date, which cannot be compared with the String 2026");
    refused(field("from").lt(LocalDate.EPOCH), "is a time, which cannot be compared");
    refused(field("day").startsWith(new byte[] {1}), "\"day\" is a date, which cannot begin with");
  }

  @Test
  void whatHasNoOrderOfItsBytesIsRefusedByName() {
    refused(
        field("pay").gt(BigDecimal.ONE), "has the format \"bigdecimal\" and cannot be compared");
    refused(field("tags").eq("x"), "has the format \"list(string?)\" and cannot be compared");
    refused(field("counts").eq("x"), "has the format \"map(string, int)\" and cannot be");
    refused(field("note").eq("x"), "has the format \"optional(string)\" and cannot be compared");
    refused(field("counts.a").eq(1), "map(string, int) has no fields that are known");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> compiler.number(field("length")))
        .withMessageContaining("is a duration, which is no number to add up");
  }

  @Test
  void whateverIsAComponentCanBeSelected() {
    for (String name : List.of("tags", "counts", "day", "pay", "note", "marks", "length")) {
      OperatorCompiler.Part part = compiler.decodable(field(name));
      assertThat(compiler.compileRows(EntryChoice.ALL, List.of(part))).isNotEmpty();
    }
  }

  private void refused(EntryCondition condition, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> compiler.check(EntryChoice.ALL.and(condition)))
        .withMessageContaining(message);
  }

  private boolean accepts(EntryCondition condition, byte[] page) {
    EntryFrame frame = new EntryFrame(() -> 0);
    return Operators.load(compiler.compile(EntryChoice.ALL.and(condition)))
        .filter(frame)
        .accepts(page, 0, page.length);
  }

  private static byte[] entry(Shift shift) {
    LocalDate day = LocalDate.EPOCH.plusDays(shift.number());
    byte[] key = bytes(Codecs.of(LocalDate.class), day);
    byte[] value = bytes(SHIFTS, shift);
    byte[] page = new byte[(int) EntryLayout.entryBytes(key.length, value.length, 2, 1, 0)];
    EntryLayout.write(page, 0, key, value, 2, 1, 0);
    return page;
  }

  private static <T> byte[] bytes(Codec<T> codec, T value) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    return out.toByteArray();
  }
}
