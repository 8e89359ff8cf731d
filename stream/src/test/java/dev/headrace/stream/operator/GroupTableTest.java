package dev.headrace.stream.operator;

import static dev.headrace.api.stream.operator.Expressions.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.operator.FieldSummary;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.HashSpace;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** Groups and their sums, against a map's. */
class GroupTableTest {

  private static final Codec<Sale> SALES = Codecs.record(Sale.class);
  private static final OperatorCompiler COMPILER = new OperatorCompiler(Codecs.string(), SALES);
  private static final int ROOM = 1 << 20;

  /** What is added up. */
  record Sale(@Nullable String shop, long number, @Nullable Integer quantity) {}

  private final Map<Object, long[]> expected = new HashMap<>();

  @Property(tries = 500)
  void groupsOfTextHaveTheSumsOfWhatWasCounted(@ForAll long seed) {
    Operators operators = operators("shop");
    check(operators, seed, Sale::shop, "shop", String.class);
  }

  @Property(tries = 500)
  void groupsOfNumbersHaveTheSumsOfWhatWasCounted(@ForAll long seed) {
    Operators operators = operators("number");
    check(operators, seed, Sale::number, "number", Long.class);
  }

  private static Operators operators(String group) {
    return Operators.load(
        COMPILER.compileReduction(
            EntryChoice.ALL, COMPILER.decodable(field(group)), COMPILER.number(field("quantity"))));
  }

  private interface GroupOf {
    @Nullable Object of(Sale sale);
  }

  private <G> void check(
      Operators operators, long seed, GroupOf groupOf, String group, Class<G> type) {
    Random random = new Random(seed);
    expected.clear();
    EntryFrame frame = new EntryFrame(() -> 0);
    GroupTable table = new GroupTable(operators, new HashSpace(4, seed));
    int runs = random.nextInt(8);
    for (int run = 0; run < runs; run++) {
      boolean torn = random.nextInt(3) == 0;
      for (int left = random.nextInt(200); left > 0; left--) {
        Sale sale = sale(random);
        byte[] page = page(sale);
        frame.turnTo(page, 0, page.length);
        assertThat(table.note(frame, ROOM)).isZero();
        if (!torn) {
          count(groupOf.of(sale), sale.quantity());
        }
      }
      if (torn) {
        table.forgetNoted();
      } else {
        table.countNoted();
      }
    }
    assertThat(table.isEmpty()).isEqualTo(expected.isEmpty());
    ReductionResult result =
        new ReductionResult(COMPILER.number(field("quantity")), Integer.MAX_VALUE, "sales");
    result.add(table.encode());
    Map<G, FieldSummary> summaries =
        result.summaries(COMPILER.decodable(field(group)).codec(), type);
    assertThat(summaries).hasSize(expected.size());
    summaries.forEach(
        (key, summary) ->
            assertThat(new long[] {summary.entries(), summary.numbers(), summary.sum().longValue()})
                .as("group %s", key)
                .isEqualTo(expected.get(key)));
  }

  private void count(@Nullable Object group, @Nullable Integer quantity) {
    long[] sums = expected.computeIfAbsent(group, key -> new long[3]);
    sums[0]++;
    sums[1] += quantity == null ? 0 : 1;
    sums[2] += quantity == null ? 0 : quantity;
  }

  /** Many shops are alike but for their length or their last letter. */
  private static Sale sale(Random random) {
    String shop = "abcdefghijk".substring(0, random.nextInt(12)) + (char) random.nextInt(3);
    return new Sale(
        random.nextInt(10) == 0 ? null : shop.substring(random.nextInt(2)),
        random.nextInt(100) * (random.nextBoolean() ? 1L : 1L << 56),
        random.nextInt(10) == 0 ? null : random.nextInt());
  }

  private static byte[] page(Sale sale) {
    ByteOutput value = new ByteOutput();
    SALES.encode(sale, value);
    byte[] bytes = value.toByteArray();
    byte[] page = new byte[(int) EntryLayout.entryBytes(1, bytes.length, 1, 1, 0)];
    EntryLayout.write(page, 0, new byte[] {'k'}, bytes, 1, 1, 0);
    return page;
  }
}
