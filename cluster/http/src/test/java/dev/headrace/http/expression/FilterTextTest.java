package dev.headrace.http.expression;

import static dev.headrace.api.stream.operator.Expressions.field;
import static dev.headrace.api.stream.operator.Expressions.key;
import static dev.headrace.api.stream.operator.Expressions.keyField;
import static dev.headrace.api.stream.operator.Expressions.lifespan;
import static dev.headrace.api.stream.operator.Expressions.value;
import static dev.headrace.api.stream.operator.Expressions.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.api.stream.operator.EntryCondition;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Year;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Conditions as text. */
final class FilterTextTest {
  private static final int TEXTS = Integer.getInteger("headrace.fuzz", 400) * 50;
  private static final String TRADE =
      "record Trade(price double, lots int, fee float?, buyer record Person(name string, country"
          + " enum Country), at instant, id uuid, sign char, seal bytes, open boolean, key string)";

  private static EntryCondition read(String text) {
    return FilterText.condition(text, "string", TRADE);
  }

  @Test
  void relationsAreWrittenAsSignsOrAsInJava() {
    for (String[] pair :
        new String[][] {
          {"=", "eq"}, {"!=", "ne"}, {"<", "lt"}, {"<=", "le"}, {">", "gt"}, {">=", "ge"}
        }) {
      assertThat(read("lots " + pair[0] + " 40")).isEqualTo(read("lots " + pair[1] + " 40"));
    }
    assertThat(read("lots >= 40")).isEqualTo(field("lots").ge(40L));
    assertThat(read("lots<40")).isEqualTo(field("lots").lt(40L));
  }

  @Test
  void aConstantHasTheTypeOfItsPart() {
    UUID id = UUID.fromString("8d8b30e3-de52-4f1c-a71c-9905a8043dac");
    assertThat(read("price = 40")).isEqualTo(field("price").eq(40.0));
    assertThat(read("price = -4.5e-3")).isEqualTo(field("price").eq(-4.5e-3));
    assertThat(read("fee = 0.1")).isEqualTo(field("fee").eq(0.1f));
    assertThat(read("lots = -7")).isEqualTo(field("lots").eq(-7L));
    assertThat(read("buyer.name = 'O''Hara'")).isEqualTo(field("buyer.name").eq("O'Hara"));
    assertThat(read("buyer.country = \"NO\"")).isEqualTo(field("buyer.country").eq("NO"));
    assertThat(read("at > '2026-01-31T00:00:00Z'"))
        .isEqualTo(field("at").gt(Instant.parse("2026-01-31T00:00:00Z")));
    assertThat(read("id = '" + id + "'")).isEqualTo(field("id").eq(id));
    assertThat(read("sign = '+'")).isEqualTo(field("sign").eq('+'));
    assertThat(read("open = true")).isEqualTo(field("open").eq(true));
    assertThat(read("lifespan < 90")).isEqualTo(lifespan().lt(Duration.ofSeconds(90)));
    assertThat(read("lifespan < 'PT1M'")).isEqualTo(lifespan().lt(Duration.ofMinutes(1)));
    assertThat(read("version >= '3-1a'")).isEqualTo(version().ge(EntryVersion.parse("3-1a")));
    assertThat(read("seal.lengthBytes > 9")).isEqualTo(field("seal").lengthBytes().gt(9L));
  }

  @Test
  void datesAndTimesAreWrittenAsInIso8601() {
    for (Object constant :
        List.of(
            LocalDate.of(2026, 1, 31),
            LocalTime.of(23, 59, 59),
            LocalDateTime.of(2026, 1, 31, 23, 59, 59),
            Duration.ofMillis(1500))) {
      String format = Codecs.of(constant.getClass()).format();
      String text = "value >= '" + constant + "'";
      assertThat(FilterText.condition(text, "string", format)).isEqualTo(value().ge(constant));
    }
    assertThat(FilterText.condition("value = 2026", "string", "year"))
        .isEqualTo(value().eq(Year.of(2026)));
    String shift = "record Shift(day date, until time?)";
    assertThat(FilterText.condition("day in ('2026-01-31')", "string", shift))
        .isEqualTo(field("day").in(LocalDate.of(2026, 1, 31)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "date|'today'|cannot be compared with this",
        "date|2026|a text in quotes such as '2026-01-31'",
        "time|'24:00'|cannot be compared with this",
        "duration|'90'|cannot be compared with this",
        "year|'2026'|a number",
        "year|4294967296|cannot be compared with this",
        "period|'P1D'|as a whole",
      })
  void whatIsNoDateOrTimeIsTold(String format, String constant, String message) {
    String text = "value > " + constant;
    FilterSyntaxException failure =
        catchThrowableOfType(
            FilterSyntaxException.class, () -> FilterText.condition(text, "string", format));
    assertThat(failure).hasMessageContaining(message);
    assertThat(failure.position()).isEqualTo(8);
  }

  @Test
  void testsAreThoseOfTheInterface() {
    assertThat(read("lots between 1 and 9")).isEqualTo(field("lots").between(1L, 9L));
    assertThat(read("lots in (1, 2,3)")).isEqualTo(field("lots").in(1L, 2L, 3L));
    assertThat(read("key startsWith 'EU-'")).isEqualTo(key().startsWith("EU-"));
    assertThat(read("fee isNull")).isEqualTo(field("fee").isNull());
    assertThat(read("fee isNotNull")).isEqualTo(field("fee").isNotNull());
  }

  @Test
  void andBindsCloserThanOrAndNotClosest() {
    EntryCondition a = field("lots").eq(1L);
    EntryCondition b = field("lots").eq(2L);
    EntryCondition c = field("lots").eq(3L);
    assertThat(read("lots=1 or lots=2 and lots=3")).isEqualTo(a.or(b.and(c)));
    assertThat(read("(lots=1 or lots=2) and lots=3")).isEqualTo(a.or(b).and(c));
    assertThat(read("not lots=1 and lots=2")).isEqualTo(a.not().and(b));
    assertThat(read("not (lots=1 and lots=2)")).isEqualTo(a.and(b).not());
    assertThat(read("lots=1 and lots=2 and lots=3"))
        .as("long lists stay flat")
        .isEqualTo(new EntryCondition.All(List.of(a, b, c)));
  }

  @Test
  void aFieldWithTheNameOfAWordIsNamedInQuotes() {
    assertThat(read("field('key') = 'x'")).isEqualTo(field("key").eq("x"));
    assertThat(read("field(\"buyer.name\").lengthBytes = 3"))
        .isEqualTo(field("buyer.name").lengthBytes().eq(3L));
    assertThat(FilterText.condition("key.region = 'EU'", "record Id(region string)", "int"))
        .isEqualTo(keyField("region").eq("EU"));
    assertThat(FilterText.condition("value > 4", "string", "int")).isEqualTo(value().gt(4L));
  }

  @Test
  void partsAreListedWithCommas() {
    assertThat(FilterText.parts("key, price,buyer.name", "string", TRADE))
        .containsExactly(key(), field("price"), field("buyer.name"));
    assertThatThrownBy(() -> FilterText.parts("price, price", "string", TRADE))
        .hasMessageContaining("named twice");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``|0|belongs here",
        "price|5|not the end",
        "price >|7|not the end",
        "price > 'x'|8|compared with a number",
        "price > 40 and|14|belongs here",
        "price > 40 price|11|and, or",
        "price > 40)|10|and, or",
        "(price > 40|11|) belongs here",
        "cost > 40|0|price double",
        "buyer.age > 4|0|name string",
        "buyer = 'x'|8|as a whole",
        "lots = 4.5|7|no number",
        "lots = 99999999999999999999|7|no number",
        "lots = 4d|7|with a number",
        "open < true|5|only knows",
        "id = 'x'|5|cannot be compared",
        "at = 'today'|5|cannot be compared",
        "sign = 'ab'|7|one character",
        "version = 3|10|3-1a",
        "lifespan < 9223372036854775807|11|cannot be compared",
        "lots in ()|9|belongs here",
        "lots in (1|10|) belongs here",
        "lots between 1 or 2|15|and belongs here",
        "lots startsWith 1|5|no string",
        "price > 'x|8|never closed",
        "price ; 4|6|means nothing",
        "lifespan.lengthBytes = 1|0|lengthBytes",
        "field(price) = 1|6|in quotes",
        "not|3|belongs here",
      })
  void whatIsWrongIsToldWithItsPlace(String text, int position, String message) {
    FilterSyntaxException failure =
        catchThrowableOfType(FilterSyntaxException.class, () -> read(text));
    assertThat(failure).as(text).isNotNull();
    assertThat(failure).hasMessageContaining(message);
    assertThat(failure.position()).as(failure.getMessage()).isEqualTo(position);
    assertThat(failure).hasMessageEndingWith("at character " + (position + 1));
  }

  @Test
  void depthAndLengthAreLimited() {
    assertThatThrownBy(() -> read("(".repeat(100) + "lots=1" + ")".repeat(100)))
        .isInstanceOf(FilterSyntaxException.class)
        .hasMessageContaining("32 deep");
    assertThatThrownBy(() -> read("not ".repeat(1_000) + "lots=1"))
        .isInstanceOf(FilterSyntaxException.class);
    assertThatThrownBy(() -> read("lots=1 or ".repeat(1_000) + "lots=1"))
        .hasMessageContaining("8192 characters");
  }

  @Test
  void noTextMakesTheReaderFail() {
    String[] words = {
      "price",
      "lots",
      "key",
      "buyer.name",
      "at",
      "version",
      "lifespan",
      "value",
      "field",
      "(",
      ")",
      "'",
      "\"",
      "and",
      "or",
      "not",
      "in",
      "between",
      "startsWith",
      "isNull",
      "=",
      "<",
      "!=",
      ",",
      ".",
      ".lengthBytes",
      "40",
      "-1.5",
      "1e999",
      "true",
      "'x'",
      "'2026-01-31T00:00:00Z'",
      "\u0000",
      "\ud800",
      "é",
      " ",
      "99999999999999999999",
      "'PT9S'",
      "'-99999999999999999-1'"
    };
    Random random = new Random(42);
    for (int i = 0; i < TEXTS; i++) {
      StringBuilder text = new StringBuilder();
      for (int n = random.nextInt(12); n >= 0; n--) {
        text.append(words[random.nextInt(words.length)]);
        if (random.nextInt(3) > 0) {
          text.append(' ');
        }
      }
      try {
        assertThat(read(text.toString())).isNotNull();
      } catch (FilterSyntaxException expected) {
        assertThat(expected.position()).as("%s", text).isBetween(0, text.length());
      }
    }
  }
}
