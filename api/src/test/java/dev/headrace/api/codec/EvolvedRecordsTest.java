package dev.headrace.api.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.CodecException;
import java.math.BigDecimal;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Records that have other components than those with which their cache began. */
@SuppressWarnings("SameNameButDifferent") // forms of one record
final class EvolvedRecordsTest {

  /** The classes as they were. */
  private static final class Old {
    record Quote(String symbol, double price, long volume) {}

    record Item(String name, int count) {}

    record Order(long number, List<Item> items, Map<String, Item> byPlace, Optional<Item> gift) {}

    sealed interface Payment permits Cash, Card {}

    record Cash(long cents) implements Payment {}

    record Card(String number) implements Payment {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Many(
        List<String> names, Optional<String> nick, int[] counts, boolean on, Integer some) {}
  }

  /** The same classes as they are now. */
  private static final class New {
    record Quote(
        String venue,
        double price,
        String symbol,
        int lots,
        Optional<String> note,
        Set<Long> ids) {}

    record Item(int count, @Nullable BigDecimal price, String name) {}

    record Order(Map<String, Item> byPlace, List<Item> items, long number, Optional<Item> gift) {}

    sealed interface Payment permits Card, Cash {}

    record Card(String number, int year) implements Payment {}

    record Cash(long cents) implements Payment {}

    record Many(long number) {}
  }

  /** The same classes, changed in a way that cannot be read. */
  private static final class Broken {
    record Quote(String symbol, BigDecimal price, long volume) {}

    record Item(String name, long count) {}

    record Order(long number, List<Item> items, Map<String, Item> byPlace, Optional<Item> gift) {}

    sealed interface Payment permits Cash {}

    record Cash(long cents) implements Payment {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Many(List<String> names, Optional<String> nick, int[] counts, boolean on, int some) {}
  }

  private static byte[] bytes(Codec<?> codec, Object value) {
    ByteOutput out = new ByteOutput();
    Element.of(codec, false).codec().encode(value, out);
    return out.toByteArray();
  }

  private static <T> T read(Codec<T> codec, byte[] bytes) {
    return codec.decode(ByteInput.of(bytes));
  }

  private static <T> Codec<T> evolved(Class<T> type, Class<?> began) {
    return Codecs.evolved(Codecs.of(type), Codecs.of(began).format());
  }

  @Test
  void anEqualFormatIsReadByTheSameCodec() {
    Codec<Old.Quote> codec = Codecs.of(Old.Quote.class);
    assertThat(Codecs.evolved(codec, codec.format())).isSameAs(codec);
  }

  @Test
  void theNewClassReadsWhatTheOldOneWrote() {
    byte[] old = bytes(Codecs.of(Old.Quote.class), new Old.Quote("ABC", 1.5, 7));
    Codec<New.Quote> codec = evolved(New.Quote.class, Old.Quote.class);
    New.Quote read = read(codec, old);
    assertThat(read).isEqualTo(new New.Quote(null, 1.5, "ABC", 0, Optional.empty(), Set.of()));
    assertThat(codec.format()).isEqualTo(Codecs.of(Old.Quote.class).format());
  }

  @Test
  void theOldClassReadsWhatTheNewOneWrote() {
    New.Quote quote = new New.Quote("XETR", 1.5, "ABC", 3, Optional.of("x"), Set.of(5L));
    Codec<New.Quote> codec = evolved(New.Quote.class, Old.Quote.class);
    byte[] written = bytes(codec, quote);
    assertThat(read(Codecs.of(Old.Quote.class), written)).isEqualTo(new Old.Quote("ABC", 1.5, 0));
    assertThat(read(codec, written)).isEqualTo(quote);
  }

  @Test
  void theOldClassReadsACacheThatTheNewOneBegan() {
    Codec<Old.Quote> old = evolved(Old.Quote.class, New.Quote.class);
    byte[] written = bytes(old, new Old.Quote("ABC", 1.5, 7));
    assertThat(read(old, written)).isEqualTo(new Old.Quote("ABC", 1.5, 7));
    assertThat(read(Codecs.of(New.Quote.class), written))
        .isEqualTo(new New.Quote(null, 1.5, "ABC", 0, Optional.empty(), Set.of()));
  }

  @Test
  void aValueThatWasReadHasTheSameBytesAgain() {
    Codec<New.Quote> codec = evolved(New.Quote.class, Old.Quote.class);
    byte[] old = bytes(Codecs.of(Old.Quote.class), new Old.Quote("ABC", 1.5, 0));
    assertThat(bytes(codec, read(codec, old))).isEqualTo(old);
    byte[] full = bytes(codec, new New.Quote("X", 1, null, 3, Optional.of(""), Set.of(5L, 6L)));
    assertThat(bytes(codec, read(codec, full))).isEqualTo(full);
  }

  @Test
  void aDefaultThatIsGivenStandsForWhatIsNotThere() {
    Codec<New.Quote> codec =
        Codecs.evolved(
            Codecs.record(New.Quote.class).withDefault("venue", "XETR").withDefault("lots", 1),
            Codecs.of(Old.Quote.class).format());
    byte[] old = bytes(Codecs.of(Old.Quote.class), new Old.Quote("ABC", 1.5, 0));
    New.Quote read = read(codec, old);
    assertThat(read).isEqualTo(new New.Quote("XETR", 1.5, "ABC", 1, Optional.empty(), Set.of()));
    assertThat(bytes(codec, read)).isEqualTo(old);
    New.Quote none = new New.Quote(null, 1.5, "ABC", 0, Optional.empty(), Set.of());
    assertThat(read(codec, bytes(codec, none))).as("null and 0 are no defaults").isEqualTo(none);
  }

  @Test
  void aDefaultOfAnotherTypeIsRefused() {
    ComposedCodec<New.Quote> codec = Codecs.record(New.Quote.class);
    assertThatThrownBy(() -> codec.withDefault("lots", "one"))
        .isInstanceOf(ClassCastException.class);
    assertThatThrownBy(() -> codec.withDefault("place", "one"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("There is no component \"place\"");
  }

  @Test
  void recordsInListsMapsAndOptionalsChangeToo() {
    Old.Item pen = new Old.Item("pen", 2);
    Old.Order before = new Old.Order(1, List.of(pen, pen), Map.of("desk", pen), Optional.of(pen));
    Codec<New.Order> codec = evolved(New.Order.class, Old.Order.class);
    New.Item now = new New.Item(2, null, "pen");
    New.Order read = read(codec, bytes(Codecs.of(Old.Order.class), before));
    assertThat(read)
        .isEqualTo(new New.Order(Map.of("desk", now), List.of(now, now), 1, Optional.of(now)));
    New.Item priced = new New.Item(2, BigDecimal.TEN, "pen");
    New.Order after =
        new New.Order(Map.of("desk", priced), List.of(priced, now), 1, Optional.of(priced));
    byte[] written = bytes(codec, after);
    assertThat(read(codec, written)).isEqualTo(after);
    assertThat(read(Codecs.of(Old.Order.class), written)).isEqualTo(before);
  }

  @Test
  void classesOfASealedInterfaceChangeAndMoveToo() {
    Codec<New.Payment> codec = evolved(New.Payment.class, Old.Payment.class);
    byte[] old = bytes(Codecs.of(Old.Payment.class), new Old.Card("77"));
    assertThat(read(codec, old)).isEqualTo(new New.Card("77", 0));
    byte[] written = bytes(codec, new New.Card("77", 30));
    assertThat(read(codec, written)).isEqualTo(new New.Card("77", 30));
    assertThat(read(Codecs.of(Old.Payment.class), written)).isEqualTo(new Old.Card("77"));
    byte[] cash = bytes(codec, new New.Cash(5));
    assertThat(read(Codecs.of(Old.Payment.class), cash)).isEqualTo(new Old.Cash(5));
  }

  @Test
  void whatIsRemovedIsEmptyOrZeroOrNull() {
    byte[] written = bytes(evolvedMany(), new New.Many(5));
    Old.Many read = read(Codecs.of(Old.Many.class), written);
    assertThat(read.names()).isEmpty();
    assertThat(read.nick()).isEmpty();
    assertThat(read.counts()).isEmpty();
    assertThat(read.on()).isFalse();
    assertThat(read.some()).isNull();
    assertThat(read(evolvedMany(), written)).isEqualTo(new New.Many(5));
  }

  private static Codec<New.Many> evolvedMany() {
    return evolved(New.Many.class, Old.Many.class);
  }

  @Test
  void anAddedRecordMayChangeAgain() {
    record Began(int id) {}
    String began = Codecs.of(Began.class).format();
    Codec<WithOldItem.Began> one = Codecs.evolved(Codecs.of(WithOldItem.Began.class), began);
    Codec<WithNewItem.Began> other = Codecs.evolved(Codecs.of(WithNewItem.Began.class), began);
    byte[] written = bytes(one, new WithOldItem.Began(1, new Old.Item("pen", 2)));
    assertThat(read(other, written))
        .isEqualTo(new WithNewItem.Began(1, new New.Item(2, null, "pen")));
    assertThat(read(Codecs.of(Began.class), written)).isEqualTo(new Began(1));
  }

  /** An added component. */
  private static final class WithOldItem {
    record Began(int id, Old.Item item) {}
  }

  /** The same component with a changed class. */
  private static final class WithNewItem {
    record Began(int id, New.Item item) {}
  }

  /** The same component with another type. */
  private static final class WithTextItem {
    record Began(int id, String item) {}
  }

  @Test
  void anAddedComponentOfAnotherTypeIsNamedWhenItIsRead() {
    record Began(int id) {}
    String began = Codecs.of(Began.class).format();
    Codec<WithOldItem.Began> one = Codecs.evolved(Codecs.of(WithOldItem.Began.class), began);
    Codec<WithTextItem.Began> other = Codecs.evolved(Codecs.of(WithTextItem.Began.class), began);
    byte[] written = bytes(one, new WithOldItem.Began(1, new Old.Item("pen", 2)));
    assertThatThrownBy(() -> read(other, written))
        .isInstanceOf(CodecException.class)
        .hasMessage(
            "\"item\" is \"record Item(name string, count int)\" there, and \"string\" here");
  }

  @Test
  void aChangedTypeIsRefusedByName() {
    assertThatThrownBy(() -> evolved(Broken.Quote.class, Old.Quote.class))
        .isInstanceOf(CodecException.class)
        .hasMessage("\"price\" is \"double\" there, and \"bigdecimal\" here");
    assertThatThrownBy(() -> evolved(Broken.Order.class, Old.Order.class))
        .hasMessage("\"items[].count\" is \"int\" there, and \"long\" here");
    assertThatThrownBy(() -> evolved(Broken.Many.class, Old.Many.class))
        .hasMessage("\"some\" is \"int?\" there, and \"int\" here");
    assertThatThrownBy(() -> evolved(Broken.Payment.class, Old.Payment.class))
        .hasMessage(
            "Payment permits [Cash, Card] there, and [Cash] here: a cache keeps the classes that it"
                + " began with");
    assertThatThrownBy(() -> evolved(Old.Item.class, Old.Quote.class))
        .hasMessage(
            "the type is \"record Quote(symbol string, price double, volume long)\" there, and"
                + " \"record Item(name string, count int)\" here");
    assertThatThrownBy(() -> Codecs.evolved(Codecs.string(), "long"))
        .hasMessage("the type is \"long\" there, and \"string\" here");
  }

  @Test
  void elementsOfSetsAndKeysOfMapsDoNotChange() {
    Codec<Set<New.Item>> set = Codecs.set(Codecs.of(New.Item.class));
    String sets = Codecs.set(Codecs.of(Old.Item.class)).format();
    assertThatThrownBy(() -> Codecs.evolved(set, sets))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("must not change: their bytes decide which are equal");
    Codec<Map<New.Item, String>> map = Codecs.map(Codecs.of(New.Item.class), Codecs.string());
    String maps = Codecs.map(Codecs.of(Old.Item.class), Codecs.string()).format();
    assertThatThrownBy(() -> Codecs.evolved(map, maps))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("the keys of a map");
  }

  @Test
  void theLayoutIsThatOfTheCache() {
    CodecLayout layout = CodecLayout.of(evolved(New.Quote.class, Old.Quote.class));
    assertThat(layout).isInstanceOf(CodecLayout.Composite.class);
    CodecLayout.Composite composite = (CodecLayout.Composite) layout;
    assertThat(composite.components())
        .extracting(CodecLayout.Component::name)
        .containsExactly("symbol", "price", "volume");
    assertThat(composite.components().get(0).type()).isEqualTo(String.class);
    assertThat(composite.added())
        .extracting(added -> added.component().name())
        .containsExactly("ids", "lots", "note", "venue");
    CodecLayout.Added venue = composite.added("venue").orElseThrow();
    assertThat(venue.component().nullable()).isTrue();
    assertThat(venue.absent()).isNull();
    CodecLayout.Added lots = composite.added("lots").orElseThrow();
    assertThat(lots.component().nullable()).isFalse();
    assertThat(lots.absent()).containsOnly(0);
  }

  /**
   * Bytes of a changed record as they lie in caches. They must be read for ever, as those of {@link
   * CodecSamplesTest}.
   */
  @Test
  void samplesAreReadForEver() {
    Codec<New.Quote> codec = evolved(New.Quote.class, Old.Quote.class);
    New.Quote quote = new New.Quote("XETR", 1.5, "ABC", 3, Optional.of("x"), Set.of(5L));
    String hex =
        "01 03 414243 3ff8000000000000 0000000000000000"
            + "03 696473 09 736574286c6f6e6729 01 08 0000000000000005"
            + "04 6c6f7473 03 696e74 01 04 00000003"
            + "04 6e6f7465 10 6f7074696f6e616c28737472696e6729 01 02 0178"
            + "05 76656e7565 06 737472696e67 01 04 58455452";
    byte[] sample = HexFormat.of().parseHex(hex.replace(" ", ""));
    assertThat(HexFormat.of().formatHex(bytes(codec, quote))).isEqualTo(hex.replace(" ", ""));
    assertThat(read(codec, sample)).isEqualTo(quote);
    assertThat(read(Codecs.of(Old.Quote.class), sample)).isEqualTo(new Old.Quote("ABC", 1.5, 0));
  }

  @Test
  void whatIsCutOffIsRefused() {
    Codec<New.Quote> codec = evolved(New.Quote.class, Old.Quote.class);
    Codec<Old.Quote> old = Codecs.of(Old.Quote.class);
    byte[] whole = bytes(codec, new New.Quote("XETR", 1.5, "ABC", 3, Optional.empty(), Set.of()));
    int refused = 0;
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(whole, length);
      try {
        assertThat(bytes(old, read(old, cut))).as("a whole value").hasSizeLessThan(length + 1);
        assertThat(bytes(codec, read(codec, cut))).as("ends with a component").isEqualTo(cut);
      } catch (IllegalArgumentException e) {
        refused++;
      }
    }
    assertThat(refused).isEqualTo(whole.length - 2);
  }
}
