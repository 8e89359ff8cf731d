package dev.headrace.http.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        "list of string",
        "list()",
        "list(string",
        "list(json)",
        "json ",
        "json X()",
        "json X(Y",
        "json X(Y,Z)",
        "protobuf shop.Order",
        "map(string)",
        "map(string,int)",
        "optional(string?",
        "sealed X",
        "sealed X(int)",
        "sealed X(record A()record B())",
        "bag(string)"
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
  @ValueSource(strings = {"json Order", "json List(Order)", "json Map(String, List(array(Order)))"})
  void jsonIsReadAndWrittenAsItIs(String format) {
    TextCodec codec = TextCodec.of(format);
    assertThat(codec.readable()).isTrue();
    assertThat(codec.writable()).isTrue();
    String json = "{\"a b\":[1.50,1E+400,-7,true,null,\"\\n ü😀\"],\"b\":{}}";
    String spaced = json.replace(",", "\n ,\t ").replace(":", ": ");
    assertThat(new String(parsed(codec, spaced), StandardCharsets.UTF_8)).isEqualTo(json);
    assertThat(codec.decode(ByteInput.of(parsed(codec, json)))).isEqualTo(json);
    assertThat(codec.decode(utf8("{\n\t\"a\":\r\n1\n}"))).isEqualTo("{\"a\":1}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "{", "{}{}", "1 2", "{\"a\"}", "[1,]", "'a'", "\"\n\""})
  void whatIsNotJsonIsRefused(String text) {
    TextCodec codec = TextCodec.of("json Order");
    assertThatThrownBy(() -> codec.decode(utf8(text))).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> parsed(codec, text)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> parsed(codec, "null"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A value is never null");
  }

  @Test
  void jsonMayBeAPartOfARecord() {
    TextForm form = TextForm.of("record Order(number int, items json List(Item), lots int?)");
    String json = "{\"number\":7,\"items\":[{\"name\":\"pears\"}],\"lots\":null}";
    assertThat(form.text(form.parseText(json))).isEqualTo(json);
    String without = "{\"number\":7,\"items\":null,\"lots\":3}";
    assertThat(form.text(form.parseText(without))).isEqualTo(without);
  }

  private static byte[] parsed(TextCodec codec, String text) {
    ByteOutput out = new ByteOutput();
    codec.encode(text, out);
    return out.toByteArray();
  }

  private static ByteInput utf8(String text) {
    return ByteInput.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private sealed interface Shape permits Circle, Box {}

  private record Circle(double radius) implements Shape {}

  private record Box(BigDecimal width, List<@Nullable Circle> holes) implements Shape {}

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Purchase(
      LocalDate day,
      Map<Side, Integer> counts,
      Set<Long> numbers,
      Optional<Duration> delay,
      Optional<String> note,
      int[] sizes,
      @Nullable Year year,
      Shape shape) {}

  @Test
  void everydayTypesAreTextAndBack() {
    for (Object value :
        List.of(
            new BigInteger("123456789012345678901234567890"),
            new BigDecimal("-42.170"),
            LocalDate.of(2026, 1, 31),
            LocalTime.of(23, 59),
            LocalDateTime.of(2026, 1, 31, 0, 0),
            OffsetDateTime.parse("2026-01-31T10:00+01:00"),
            ZonedDateTime.parse("2026-01-31T10:00+01:00[Europe/Paris]"),
            Duration.ofMillis(1500),
            Period.of(1, 2, 3),
            Year.of(2026),
            URI.create("urn:isbn:0451450523"))) {
      assertThat(text(value)).isEqualTo(String.valueOf(value));
      assertThat(written(value, String.valueOf(value))).isEqualTo(bytes(value));
    }
  }

  @Test
  void whatConsistsOfOthersIsJsonAndBack() {
    Purchase purchase =
        new Purchase(
            LocalDate.of(2026, 1, 31),
            Map.of(Side.SELL, 2, Side.BUY, 1),
            Set.of(3L, 1L),
            Optional.of(Duration.ofSeconds(5)),
            Optional.empty(),
            new int[] {7, 8},
            null,
            new Box(new BigDecimal("1.50"), Arrays.asList(new Circle(2), null)));
    String json =
        "{\"day\":\"2026-01-31\",\"counts\":{\"BUY\":1,\"SELL\":2},\"numbers\":[1,3],"
            + "\"delay\":\"PT5S\",\"note\":null,\"sizes\":[7,8],\"year\":null,"
            + "\"shape\":{\"Box\":{\"width\":1.50,\"holes\":[{\"radius\":2.0},null]}}}";
    TextForm form = TextForm.of(codec(purchase).format());

    assertThat(text(purchase)).isEqualTo(json);
    assertThat(form.isStructured()).isTrue();
    assertThat(form.parseText(json)).isEqualTo(bytes(purchase));
    String unordered = json.replace("\"BUY\":1,\"SELL\":2", "\"SELL\":2,\"BUY\":1");
    assertThat(form.parseText(unordered.replace("[1,3]", "[3,1]").replace("\"note\":null,", "")))
        .isEqualTo(bytes(purchase));
  }

  @Test
  void emptyOnesAreJsonToo() {
    assertThat(TextCodec.of("list(string)").decode(ByteInput.of(new byte[0]))).isEqualTo("[]");
    assertThat(TextCodec.of("map(int, string)").decode(ByteInput.of(new byte[0]))).isEqualTo("{}");
    assertThat(TextCodec.of("optional(int)").decode(ByteInput.of(new byte[1]))).isEqualTo("null");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "set(int)                | [1,1]             | given twice",
        "map(int, int)           | {\"1\":2,\"1\":3} | given twice",
        "map(int, int)           | [1]               | is an object in JSON",
        "list(int)               | {}                | is an array in JSON",
        "list(int)               | [null]            | no object, array or null",
        "sealed X(record A(a int)) | {\"B\":1}       | There is no class \"B\"",
        "sealed X(record A(a int)) | {\"A\":{\"a\":1},\"A\":{\"a\":1}} | of one class only",
        "sealed X(record A(a int)) | 7               | is an object with the class's name",
        "date                    | \"yesterday\"     | as in ISO 8601",
        "year                    | 1000000000        | There is no year",
      })
  void jsonOfAnotherFormatIsRefused(String format, String json, String message) {
    TextForm form = TextForm.of(format);
    assertThatThrownBy(() -> form.parseJson(json.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  private record Id(String region, int number) {}

  @Test
  void aMapWithRecordsAsKeysIsJsonAndBack() {
    Codec<Map<Id, Integer>> codec = Codecs.map(Codecs.of(Id.class), Codecs.of(Integer.class));
    ByteOutput out = new ByteOutput();
    codec.encode(Map.of(new Id("EU", 1), 5, new Id("\"", 2), 6), out);
    TextForm form = TextForm.of(codec.format());

    String json = form.text(out.toByteArray());
    assertThat(json).contains("\"{\\\"region\\\":\\\"EU\\\",\\\"number\\\":1}\":5");
    assertThat(form.parseText(json)).isEqualTo(out.toByteArray());
    assertThatThrownBy(() -> form.parseText("{\"{\":5}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("This is not JSON");
  }

  @Test
  void namesAndNumbersAreAsLongAsTheFormatAllows() {
    TextForm map = TextForm.of("map(string, int)");
    String longNamed = "{\"" + "x".repeat(60_000) + "\":1}";
    assertThat(map.text(map.parseText(longNamed))).isEqualTo(longNamed);
    TextForm numbers = TextForm.of("list(bigdecimal)");
    String large = "[" + "7".repeat(4096) + "]";
    assertThat(numbers.text(numbers.parseText(large))).isEqualTo(large);
    assertThatThrownBy(() -> numbers.parseText("[" + "7".repeat(4097) + "]"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static final class Now {
    record Place(int number, Optional<BigDecimal> height, String town, List<String> names) {}
  }

  @Test
  void addedComponentsAreReadWithoutTheClassThatHasThem() {
    String began = Codecs.of(Place.class).format();
    Codec<Now.Place> codec = Codecs.evolved(Codecs.of(Now.Place.class), began);
    ByteOutput out = new ByteOutput();
    codec.encode(new Now.Place(3, Optional.of(BigDecimal.TEN), "Ulm", List.of("a", "b")), out);
    assertThat(TextCodec.of(began).decode(ByteInput.of(out.toByteArray())))
        .isEqualTo("{\"town\":\"Ulm\",\"number\":3,\"height\":10,\"names\":[\"a\",\"b\"]}");
    out.reset();
    codec.encode(new Now.Place(3, Optional.empty(), "Ulm", List.of()), out);
    assertThat(TextCodec.of(began).decode(ByteInput.of(out.toByteArray())))
        .isEqualTo("{\"town\":\"Ulm\",\"number\":3}");
  }

  @Test
  void formatsThatLieTooDeepAreNotRead() {
    String deep = "list(".repeat(40) + "int" + ")".repeat(40);
    assertThat(TextForm.of(deep).isKnown()).isFalse();
    assertThat(TextForm.of("list(".repeat(20) + "int" + ")".repeat(20)).isKnown()).isTrue();
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
