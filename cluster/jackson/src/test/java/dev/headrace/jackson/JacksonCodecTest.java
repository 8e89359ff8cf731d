package dev.headrace.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.CodecException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Values as Jackson writes them, and what is refused. */
final class JacksonCodecTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final TypeReference<List<Item>> ITEMS = new TypeReference<>() {};

  private record Item(String name, BigDecimal price) {
    private Item {
      if (price.signum() < 0) {
        throw new IllegalArgumentException("the price is negative");
      }
    }
  }

  private record Order(long number, List<Item> items) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
  @JsonSubTypes({@JsonSubTypes.Type(Cash.class), @JsonSubTypes.Type(Card.class)})
  private sealed interface Payment permits Cash, Card {}

  private record Cash(long cents) implements Payment {}

  private record Card(String number) implements Payment {}

  private record Session(String user, @JsonIgnore String token) {}

  private static final Order ORDER =
      new Order(
          7, List.of(new Item("pears", new BigDecimal("1.50")), new Item("ü", BigDecimal.ONE)));

  private final Codec<Order> orders = JacksonCodec.of(MAPPER, Order.class);

  @Test
  void valuesAreJsonAndBack() {
    assertThat(text(orders, ORDER))
        .isEqualTo(
            "{\"number\":7,\"items\":[{\"name\":\"pears\",\"price\":1.50},"
                + "{\"name\":\"ü\",\"price\":1}]}");
    assertThat(back(orders, ORDER)).isEqualTo(ORDER);
  }

  @Test
  void valuesOfAnyLengthComeBack() {
    Order large = new Order(1, List.of(new Item("x".repeat(100_000), BigDecimal.TEN)));
    assertThat(back(orders, large)).isEqualTo(large);
  }

  @Test
  void typesMayHaveParametersAndBeKnownAtRunTimeOnly() {
    Codec<List<Item>> items = JacksonCodec.of(MAPPER, ITEMS);
    assertThat(back(items, ORDER.items())).isEqualTo(ORDER.items());
    Codec<List<Item>> same =
        JacksonCodec.of(
            MAPPER, MAPPER.getTypeFactory().constructCollectionType(List.class, Item.class));
    assertThat(same.format()).isEqualTo(items.format());
    assertThat(back(same, ORDER.items())).isEqualTo(ORDER.items());
  }

  @Test
  void formatsTellHowAndWhatIsWritten() {
    assertThat(orders.format()).isEqualTo("json Order");
    assertThat(JacksonCodec.of(new CBORMapper(), Order.class).format()).isEqualTo("cbor Order");
    assertThat(JacksonCodec.of(MAPPER, int.class).format()).isEqualTo("json int");
    assertThat(JacksonCodec.of(MAPPER, Item[].class).format()).isEqualTo("json array(Item)");
    assertThat(JacksonCodec.of(MAPPER, new TypeReference<Map<String, List<Item>>>() {}).format())
        .isEqualTo("json Map(String, List(Item))");
  }

  @Test
  void cborComesBackAndIsSmaller() {
    Codec<Order> cbor = JacksonCodec.of(new CBORMapper(), Order.class);
    assertThat(back(cbor, ORDER)).isEqualTo(ORDER);
    assertThat(bytes(cbor, ORDER)).hasSizeLessThan(bytes(orders, ORDER).length);
  }

  @Test
  void textComesBackEvenIfItIsNotWellFormed() {
    Codec<String> texts = JacksonCodec.of(MAPPER, String.class);
    for (String text : List.of("", "\"\n", "😀", "a\uD800", "\uDC00b")) {
      assertThat(back(texts, text)).isEqualTo(text);
    }
  }

  @Test
  void aPrimitiveTypeStandsForItsWrapper() {
    assertThat(back(JacksonCodec.of(MAPPER, int.class), 42)).isEqualTo(42);
  }

  @Test
  void theClassIsWrittenWhereTheTypeSaysSo() {
    Codec<Payment> payments = JacksonCodec.of(MAPPER, Payment.class);
    assertThat(back(payments, new Card("4711"))).isEqualTo(new Card("4711"));
    Codec<List<Payment>> lists = JacksonCodec.of(MAPPER, new TypeReference<>() {});
    List<Payment> both = List.of(new Cash(5), new Card("4711"));
    assertThat(back(lists, both)).isEqualTo(both);
  }

  @Test
  void equalMapsHaveEqualBytes() {
    Codec<Map<String, Integer>> maps = JacksonCodec.of(MAPPER, new TypeReference<>() {});
    Map<String, Integer> one = new LinkedHashMap<>(Map.of("b", 2));
    one.put("a", 1);
    assertThat(text(maps, one)).isEqualTo("{\"a\":1,\"b\":2}");
  }

  @Test
  void mapsWithoutAnOrderAreRefusedUnlessTheyAreSorted() {
    Codec<Map<Locale, Integer>> maps = JacksonCodec.of(MAPPER, new TypeReference<>() {});
    Map<Locale, Integer> unsorted = Map.of(Locale.FRENCH, 1, Locale.GERMAN, 2);
    assertThatThrownBy(() -> bytes(maps, unsorted))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("json Map(Locale, Integer)");
    Map<Locale, Integer> sorted = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    sorted.putAll(unsorted);
    assertThat(text(maps, sorted)).isEqualTo("{\"de\":2,\"fr\":1}");
  }

  @Test
  void laterChangesOfTheMapperMakeNoDifference() {
    ObjectMapper mapper = new ObjectMapper();
    Codec<Order> codec = JacksonCodec.of(mapper, Order.class);
    mapper.enable(SerializationFeature.INDENT_OUTPUT);
    assertThat(bytes(codec, ORDER)).isEqualTo(bytes(orders, ORDER));
  }

  @Test
  void bytesThatAreNoValueAreRefusedWithTheCause() {
    for (String text :
        List.of("", "{", "{\"number\":1", "{} {}", "[]", "{\"price\":1}", "\"\uFFFF")) {
      assertThatThrownBy(() -> read(orders, text))
          .as(text)
          .isInstanceOf(CodecException.class)
          .hasMessageStartingWith("Jackson could not read a value of format \"json Order\": ")
          .hasCauseInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> read(orders, "null"))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("made null");
  }

  @Test
  void whatAConstructorThrowsIsAmongTheCausesWithItsPlace() {
    String negative = "{\"number\":1,\"items\":[{\"name\":\"a\",\"price\":-1}]}";
    assertThatThrownBy(() -> read(orders, negative))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("the price is negative")
        .hasMessageContaining("Order[\"items\"]")
        .hasRootCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatCannotBeWrittenIsRefusedWithTheCause() {
    Codec<Object> objects = JacksonCodec.of(MAPPER, Object.class);
    assertThatThrownBy(() -> bytes(objects, new Object()))
        .isInstanceOf(CodecException.class)
        .hasMessageStartingWith("Jackson could not write a value of format \"json Object\": ")
        .hasCauseInstanceOf(JsonMappingException.class);
  }

  @Test
  @SuppressWarnings("unchecked") // that is what is tested
  void anObjectOfAnotherClassIsRefusedAsSuch() {
    Codec<Object> unchecked = (Codec<Object>) (Codec<?>) orders;
    assertThatThrownBy(() -> bytes(unchecked, "text"))
        .isInstanceOf(ClassCastException.class)
        .hasMessage("java.lang.String is not " + Order.class.getName());
  }

  @Test
  void whatIsLeftOutOnPurposeIsSaid() {
    JacksonCodec<Session> sessions = JacksonCodec.of(MAPPER, Session.class);
    assertThat(sessions.keepsEquality()).isTrue();
    JacksonCodec<Session> frank = sessions.withoutEquality();
    assertThat(frank.keepsEquality()).isFalse();
    assertThat(frank.format()).isEqualTo(sessions.format());
  }

  @Test
  void aTreeIsReadWithItsSmallestNumbers() {
    Codec<JsonNode> trees = JacksonCodec.of(MAPPER, JsonNode.class);
    assertThat(trees.keepsEquality()).isFalse();
    assertThat(back(trees, LongNode.valueOf(5)).longValue()).isEqualTo(5);
  }

  @Test
  void aComponentOfARecordMayBeJson() {
    Codec<Order> mixed = Codecs.record(Order.class).with("items", JacksonCodec.of(MAPPER, ITEMS));

    assertThat(mixed.format()).isEqualTo("record Order(number long, items json List(Item))");
    assertThat(back(mixed, ORDER)).isEqualTo(ORDER);
    assertThat(back(mixed, new Order(1, null))).isEqualTo(new Order(1, null));
    assertThat(Codecs.list(orders).format()).isEqualTo("list(json Order)");
    assertThat(back(Codecs.list(orders), List.of(ORDER, ORDER))).containsExactly(ORDER, ORDER);
  }

  private static <T> T read(Codec<T> codec, String text) {
    return codec.decode(ByteInput.of(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static <T> String text(Codec<T> codec, T value) {
    return new String(bytes(codec, value), StandardCharsets.UTF_8);
  }

  private static <T> T back(Codec<T> codec, T value) {
    return codec.decode(ByteInput.of(bytes(codec, value)));
  }

  private static <T> byte[] bytes(Codec<T> codec, T value) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    return out.toByteArray();
  }
}
