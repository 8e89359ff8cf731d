package dev.headrace.stream.operator;

import static dev.headrace.api.stream.operator.Expressions.all;
import static dev.headrace.api.stream.operator.Expressions.any;
import static dev.headrace.api.stream.operator.Expressions.field;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.api.stream.operator.Operand;
import dev.headrace.stream.entry.EntryLayout;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Conditions on components that records have got since their cache began. */
@SuppressWarnings("SameNameButDifferent") // forms of one record
class AddedFieldsTest {

  /** The records with which the cache began. */
  private static final class Old {
    private record Place(String city) {}

    private record Trade(String symbol, @Nullable Place place, double price) {}
  }

  /** The records as they are now. */
  private static final class New {
    private enum Side {
      BUY,
      SELL
    }

    private record Place(@Nullable Integer code, String city) {}

    private record Trade(
        int lots,
        String symbol,
        @Nullable String venue,
        @Nullable Place place,
        @Nullable String note,
        double price,
        @Nullable LocalDate day,
        @Nullable Side side,
        double fee,
        List<String> tags) {}
  }

  /** Records of another program, which has added a component of the same name. */
  private static final class Other {
    private record Trade(String symbol, Old.@Nullable Place place, double price, long lots) {}
  }

  private static final LocalDate DAY = LocalDate.EPOCH;
  private static final String FORMAT = Codecs.record(Old.Trade.class).format();
  private static final Codec<New.Trade> TRADES =
      Codecs.evolved(
          Codecs.record(New.Trade.class)
              .withDefault("venue", "XETR")
              .withDefault("day", DAY)
              .withDefault("fee", 0.5),
          FORMAT);

  private final OperatorCompiler compiler = new OperatorCompiler(Codecs.string(), TRADES);

  /** A condition, and the same in Java. */
  private record Wanted(EntryCondition condition, Predicate<New.Trade> predicate) {}

  private static New.Trade trade(Random random) {
    return new New.Trade(
        random.nextInt(4) - 1,
        text(random, "ABC", "XYZ"),
        maybe(random, text(random, "XETR", "XLON")),
        maybe(random, new New.Place(maybe(random, random.nextInt(3)), "Bonn")),
        maybe(random, text(random, "", "note")),
        random.nextInt(5),
        maybe(random, DAY.plusDays(random.nextInt(3) - 1)),
        maybe(random, random.nextBoolean() ? New.Side.BUY : New.Side.SELL),
        random.nextInt(3) / 2.0,
        random.nextBoolean() ? List.of() : List.of("tag"));
  }

  private static String text(Random random, String one, String other) {
    return random.nextBoolean() ? one : other;
  }

  private static <T> @Nullable T maybe(Random random, T value) {
    return random.nextInt(3) == 0 ? null : value;
  }

  private static Wanted wanted(Random random, int depth) {
    if (depth > 0 && random.nextBoolean()) {
      Wanted one = wanted(random, depth - 1);
      Wanted two = wanted(random, depth - 1);
      return switch (random.nextInt(3)) {
        case 0 -> new Wanted(one.condition().not(), one.predicate().negate());
        case 1 ->
            new Wanted(all(one.condition(), two.condition()), one.predicate().and(two.predicate()));
        default ->
            new Wanted(any(one.condition(), two.condition()), one.predicate().or(two.predicate()));
      };
    }
    int lots = random.nextInt(4) - 1;
    String venue = text(random, "XETR", "XLON");
    LocalDate day = DAY.plusDays(random.nextInt(3) - 1);
    New.Side side = random.nextBoolean() ? New.Side.BUY : New.Side.SELL;
    List<Wanted> leaves = new ArrayList<>();
    leaves.add(new Wanted(field("lots").le(lots), trade -> trade.lots() <= lots));
    leaves.add(new Wanted(field("lots").in(lots, 2), t -> t.lots() == lots || t.lots() == 2));
    leaves.add(new Wanted(field("lots").isNull(), trade -> false));
    leaves.add(new Wanted(field("venue").eq(venue), trade -> venue.equals(trade.venue())));
    leaves.add(new Wanted(field("venue").startsWith("XE"), t -> "XETR".equals(t.venue())));
    leaves.add(new Wanted(field("venue").isNull(), trade -> trade.venue() == null));
    leaves.add(new Wanted(field("note").isNull(), trade -> trade.note() == null));
    leaves.add(
        new Wanted(field("note").ne("note"), t -> t.note() != null && !t.note().equals("note")));
    leaves.add(
        new Wanted(
            field("note").lengthBytes().gt(0),
            trade -> trade.note() != null && !trade.note().isEmpty()));
    leaves.add(new Wanted(field("day").lt(day), t -> t.day() != null && t.day().isBefore(day)));
    leaves.add(new Wanted(field("day").in(day), trade -> day.equals(trade.day())));
    leaves.add(new Wanted(field("side").eq(side), trade -> side == trade.side()));
    leaves.add(new Wanted(field("fee").ge(0.5), trade -> trade.fee() >= 0.5));
    leaves.add(new Wanted(field("fee").in(0.5, 9), trade -> trade.fee() == 0.5));
    leaves.add(
        new Wanted(
            field("place.code").eq(1),
            trade -> trade.place() != null && Objects.equals(trade.place().code(), 1)));
    leaves.add(
        new Wanted(
            field("place.code").isNull(),
            trade -> trade.place() == null || trade.place().code() == null));
    leaves.add(new Wanted(field("price").gt(2), trade -> trade.price() > 2));
    return leaves.get(random.nextInt(leaves.size()));
  }

  @Property(tries = 3000)
  void aConditionMeansOnBytesWhatItMeansOfTheDecodedValue(@ForAll long seed) {
    Random random = new Random(seed);
    Wanted wanted = wanted(random, 3);
    for (int i = 0; i < 20; i++) {
      New.Trade trade = trade(random);
      assertThat(accepts(wanted.condition(), entry(TRADES, trade)))
          .as("%s of %s", wanted.condition(), trade)
          .isEqualTo(wanted.predicate().test(trade));
    }
  }

  @Property(tries = 3000)
  void damagedProgramsAndTornEntriesDoNoHarm(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] program = compiler.compile(EntryChoice.ALL.and(wanted(random, 3).condition()));
    byte[] page = entry(TRADES, trade(random));
    byte[] damaged = random.nextBoolean() ? program : page;
    for (int i = 0; i < 4; i++) {
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
    }
    try {
      Operators operators = Operators.load(program);
      var filter = operators.filter(new EntryFrame(() -> 0));
      if (filter != null) {
        filter.accepts(page, 0, page.length); // whatever it says
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      // What is damaged is refused, and what was torn is read again.
      assertThat(e).isNotNull();
    }
  }

  @Test
  void valuesWithoutTheComponentHaveItsDefault() {
    byte[] old =
        entry(Codecs.record(Old.Trade.class), new Old.Trade("ABC", new Old.Place("Ulm"), 1));

    assertThat(accepts(field("venue").eq("XETR"), old)).isTrue();
    assertThat(accepts(field("venue").isNotNull(), old)).isTrue();
    assertThat(accepts(field("lots").eq(0), old)).isTrue();
    assertThat(accepts(field("lots").gt(0), old)).isFalse();
    assertThat(accepts(field("note").isNull(), old)).isTrue();
    assertThat(accepts(field("place.code").isNull(), old)).isTrue();
  }

  @Test
  void aComponentOfThatNameInAnotherFormatIsNeitherFoundNorItsDefault() {
    Codec<Other.Trade> others = Codecs.evolved(Codecs.record(Other.Trade.class), FORMAT);
    byte[] page = entry(others, new Other.Trade("ABC", null, 1, 7));

    assertThat(accepts(field("lots").eq(7), page)).isFalse();
    assertThat(accepts(field("lots").eq(0), page)).isFalse();
  }

  @Test
  void onlyConditionsOnWhatCanBeComparedFindIt() {
    refused(field("tags").isNull(), "\"tags\" has the format \"list(string)\" and cannot be");
    refused(
        field("tags").lengthBytes().gt(0),
        "\"tags.lengthBytes\" has the format \"list(string)\" and cannot be");
    refused(field("lots").eq("x"), "\"lots\" is a int, which cannot be compared with the String");
    for (Operand operand : List.of(field("lots"), field("place.code"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> compiler.decodable(operand))
          .withMessageContaining("its record has got since the cache began");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> compiler.number(operand))
          .withMessageContaining("its record has got since the cache began");
    }
  }

  @Test
  void aProgramSaysWhetherItLooksAtAddedComponents() {
    assertThat(program(field("price").gt(1)).looksAtAdded()).isFalse();
    assertThat(program(any(field("price").gt(1), field("lots").eq(1).not())).looksAtAdded())
        .isTrue();
  }

  private void refused(EntryCondition condition, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> compiler.check(EntryChoice.ALL.and(condition)))
        .withMessageContaining(message);
  }

  private Operators program(EntryCondition condition) {
    return Operators.load(compiler.compile(EntryChoice.ALL.and(condition)));
  }

  private boolean accepts(EntryCondition condition, byte[] page) {
    return program(condition).filter(new EntryFrame(() -> 0)).accepts(page, 0, page.length);
  }

  private static <V> byte[] entry(Codec<V> values, V value) {
    ByteOutput out = new ByteOutput();
    values.encode(value, out);
    byte[] key = {'k'};
    byte[] bytes = out.toByteArray();
    byte[] page = new byte[(int) EntryLayout.entryBytes(key.length, bytes.length, 2, 1, 0)];
    EntryLayout.write(page, 0, key, bytes, 2, 1, 0);
    return page;
  }
}
