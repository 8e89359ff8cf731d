package dev.headrace.jackson3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.CodecException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.LongNode;
import tools.jackson.dataformat.cbor.CBORMapper;

/** Values as Jackson 3 writes them, and what is refused. */
final class Jackson3CodecTest {
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

  record Ledger(long page) { // its accessor is Jackson's to call
    @Override
    public long page() {
      throw new IllegalStateException("the ledger is closed");
    }
  }

  private record Session(String user, @JsonIgnore String token) {}

  private static final Order ORDER =
      new Order(
          7, List.of(new Item("pears", new BigDecimal("1.50")), new Item("ü", BigDecimal.ONE)));

  private final Codec<Order> orders = Jackson3Codec.of(MAPPER, Order.class);

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
    Codec<List<Item>> items = Jackson3Codec.of(MAPPER, ITEMS);
    assertThat(back(items, ORDER.items())).isEqualTo(ORDER.items());
    Codec<List<Item>> same =
        Jackson3Codec.of(
            MAPPER, MAPPER.getTypeFactory().constructCollectionType(List.class, Item.class));
    assertThat(same.format()).isEqualTo(items.format());
    assertThat(back(same, ORDER.items())).isEqualTo(ORDER.items());
  }

  @Test
  void formatsTellHowAndWhatIsWritten() {
    assertThat(orders.format()).isEqualTo("json Order");
    assertThat(Jackson3Codec.of(new CBORMapper(), Order.class).format()).isEqualTo("cbor Order");
    assertThat(Jackson3Codec.of(MAPPER, int.class).format()).isEqualTo("json int");
    assertThat(Jackson3Codec.of(MAPPER, Item[].class).format()).isEqualTo("json array(Item)");
    assertThat(Jackson3Codec.of(MAPPER, new TypeReference<Map<String, List<Item>>>() {}).format())
        .isEqualTo("json Map(String, List(Item))");
  }

  @Test
  void aPrimitiveTypeStandsForItsWrapper() {
    assertThat(back(Jackson3Codec.of(MAPPER, int.class), 42)).isEqualTo(42);
  }

  @Test
  void equalMapsHaveEqualBytes() {
    Codec<Map<String, Integer>> maps = Jackson3Codec.of(MAPPER, new TypeReference<>() {});
    Map<String, Integer> one = new LinkedHashMap<>(Map.of("b", 2));
    one.put("a", 1);
    assertThat(text(maps, one)).isEqualTo("{\"a\":1,\"b\":2}");
  }

  @Test
  void mapsWithoutAnOrderAreRefusedUnlessTheyAreSorted() {
    Codec<Map<Locale, Integer>> maps = Jackson3Codec.of(MAPPER, new TypeReference<>() {});
    Map<Locale, Integer> unsorted = Map.of(Locale.FRENCH, 1, Locale.GERMAN, 2);
    assertThatThrownBy(() -> bytes(maps, unsorted))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("json Map(Locale, Integer)");
    Map<Locale, Integer> sorted = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    sorted.putAll(unsorted);
    assertThat(text(maps, sorted)).isEqualTo("{\"de\":2,\"fr\":1}");
  }

  @Test
  void bytesThatAreNoValueAreRefusedWithTheCause() {
    for (String text :
        List.of("", "{", "{\"number\":1", "{} {}", "[]", "{\"number\":null}", "\"\uFFFF")) {
      assertThatThrownBy(() -> read(orders, text))
          .as(text)
          .isInstanceOf(CodecException.class)
          .hasMessageStartingWith("Jackson could not read a value of format \"json Order\": ")
          .hasCauseInstanceOf(JacksonException.class);
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
    Codec<Ledger> ledgers = Jackson3Codec.of(MAPPER, Ledger.class);
    assertThatThrownBy(() -> bytes(ledgers, new Ledger(1)))
        .isInstanceOf(CodecException.class)
        .hasMessageStartingWith("Jackson could not write a value of format \"json Ledger\": ")
        .hasMessageContaining("the ledger is closed")
        .hasCauseInstanceOf(DatabindException.class);
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
    Jackson3Codec<Session> sessions = Jackson3Codec.of(MAPPER, Session.class);
    assertThat(sessions.keepsEquality()).isTrue();
    Jackson3Codec<Session> frank = sessions.withoutEquality();
    assertThat(frank.keepsEquality()).isFalse();
    assertThat(frank.format()).isEqualTo(sessions.format());
  }

  @Test
  void aTreeIsReadWithItsSmallestNumbers() {
    Codec<JsonNode> trees = Jackson3Codec.of(MAPPER, JsonNode.class);
    assertThat(trees.keepsEquality()).isFalse();
    assertThat(back(trees, LongNode.valueOf(5)).longValue()).isEqualTo(5);
  }

  @Test
  void aComponentOfARecordMayBeJson() {
    Codec<Order> mixed = Codecs.record(Order.class).with("items", Jackson3Codec.of(MAPPER, ITEMS));

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
