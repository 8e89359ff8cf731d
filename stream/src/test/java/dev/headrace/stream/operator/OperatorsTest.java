package dev.headrace.stream.operator;

import static dev.headrace.api.stream.operator.Expressions.all;
import static dev.headrace.api.stream.operator.Expressions.any;
import static dev.headrace.api.stream.operator.Expressions.field;
import static dev.headrace.api.stream.operator.Expressions.key;
import static dev.headrace.api.stream.operator.Expressions.keyField;
import static dev.headrace.api.stream.operator.Expressions.lifespan;
import static dev.headrace.api.stream.operator.Expressions.value;
import static dev.headrace.api.stream.operator.Expressions.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.stream.entry.EntryFilter;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.operator.FunctionCall.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Conditions on encoded entries, against the same in Java. */
class OperatorsTest {

  private static final long NOW_MILLIS = 5_000;
  private static final Codec<Order> ORDERS = Codecs.record(Order.class);

  private final OperatorCompiler compiler = new OperatorCompiler(Codecs.string(), ORDERS);

  @Property(tries = 3000)
  void aConditionMeansOnBytesWhatItMeansInJava(@ForAll long seed) {
    Random random = new Random(seed);
    Orders orders = new Orders(random);
    Orders.Wanted wanted = orders.condition(4);
    EntryFilter filter = filter(compiler, wanted.condition());
    for (int i = 0; i < 20; i++) {
      String key = orders.text();
      Order order = orders.order();
      byte[] page = entry(Codecs.string(), key, ORDERS, order, random.nextInt(30), 0);
      int offset = random.nextInt(10);
      byte[] shifted = new byte[offset + page.length + random.nextInt(10)];
      random.nextBytes(shifted);
      System.arraycopy(page, 0, shifted, offset, page.length);
      assertThat(filter.accepts(shifted, offset, page.length))
          .as("%s of %s=%s", wanted.condition(), key, order)
          .isEqualTo(wanted.predicate().test(key, order));
    }
  }

  @Property(tries = 3000)
  void aDamagedProgramIsRefusedOrHarmless(@ForAll long seed) {
    Random random = new Random(seed);
    Orders orders = new Orders(random);
    EntryCondition condition = orders.condition(3).condition();
    byte[] program =
        switch (random.nextInt(5)) {
          case 0 -> compiler.compile(only(condition));
          case 3 -> compiler.compile(only(condition).and(call(Kind.FILTER)));
          case 4 -> compiler.compileCall(only(condition), call(Kind.COLLECT));
          case 1 -> compiler.compileRows(only(condition), List.of(compiler.decodable(field("at"))));
          default ->
              compiler.compileReduction(
                  only(condition),
                  compiler.decodable(field("symbol")),
                  compiler.number(field("number")));
        };
    int damages = 1 + random.nextInt(3);
    for (int i = 0; i < damages; i++) {
      program[random.nextInt(program.length)] = (byte) random.nextInt();
    }
    Operators damaged;
    try {
      damaged = Operators.load(program);
    } catch (IllegalArgumentException e) {
      assertThat(e.getMessage()).isNotEmpty();
      return;
    }
    EntryFrame frame = new EntryFrame(() -> NOW_MILLIS);
    EntryFilter filter = damaged.filter(frame);
    byte[] page = entry(Codecs.string(), orders.text(), ORDERS, orders.order(), 7, 9);
    if (filter != null) {
      filter.accepts(page, 0, page.length); // whatever it says
    }
  }

  @Property(tries = 3000)
  void whatAWriteHasTornDoesNoHarm(@ForAll long seed) {
    Random random = new Random(seed);
    Orders orders = new Orders(random);
    EntryFilter filter = filter(compiler, orders.condition(3).condition());
    byte[] page = entry(Codecs.string(), orders.text(), ORDERS, orders.order(), 7, 0);
    int damages = 1 + random.nextInt(8);
    for (int i = 0; i < damages; i++) {
      page[random.nextInt(page.length)] = (byte) random.nextInt();
    }
    try {
      filter.accepts(page, 0, EntryLayout.entryBytes(page, 0));
    } catch (IndexOutOfBoundsException e) {
      // What a reader expects of an entry that changes while it is read.
      assertThat(e).isNotNull();
    }
  }

  @Test
  void versionsAndLifespansAreCompared() {
    byte[] lasting = entry(Codecs.string(), "k", ORDERS, order(), 3, 0);
    byte[] expiring = entry(Codecs.string(), "k", ORDERS, order(), 3, NOW_MILLIS + 1000);
    assertThat(accepts(version().gt(new EntryVersion(2, 2)), lasting)).isTrue();
    assertThat(accepts(version().gt(new EntryVersion(2, 3)), lasting)).isFalse();
    assertThat(accepts(version().ge(new EntryVersion(2, 3)), lasting)).isTrue();
    assertThat(accepts(version().lt(new EntryVersion(3, 1)), lasting)).isTrue();
    assertThat(accepts(lifespan().isNull(), lasting)).isTrue();
    assertThat(accepts(lifespan().lt(Duration.ofDays(1)), lasting)).isFalse();
    assertThat(accepts(lifespan().lt(Duration.ofSeconds(2)), expiring)).isTrue();
    assertThat(accepts(lifespan().gt(Duration.ofSeconds(2)), expiring)).isFalse();
    assertThat(accepts(key().between("a", "l"), expiring)).isTrue();
    assertThat(accepts(key().between("a", "b"), expiring)).isFalse();
  }

  @Test
  void keysMayBeRecordsAndValuesNumbers() {
    Codec<Order.Address> keys = Codecs.record(Order.Address.class);
    OperatorCompiler other = new OperatorCompiler(keys, Codecs.of(Long.class));
    byte[] page = entry(keys, new Order.Address("Bonn", 53113L), Codecs.of(Long.class), -5L, 3, 0);
    assertThat(filter(other, keyField("code").eq(53113)).accepts(page, 0, page.length)).isTrue();
    assertThat(filter(other, keyField("city").eq("Ulm")).accepts(page, 0, page.length)).isFalse();
    assertThat(filter(other, value().lt(0)).accepts(page, 0, page.length)).isTrue();
  }

  @Test
  void whatIsNotThereIsRefusedWithWhatIs() {
    refused(field("prize").gt(1), "There is no field \"prize\": the fields of Order are quantity");
    refused(field("customer.town").eq("x"), "the fields of Customer are country string, age int");
    refused(field("symbol.length").eq(1), "string has no fields that are known");
    refused(field("customer").eq("x"), "cannot be compared as a whole");
    refused(field("price").gt("x"), "\"price\" is a double, which cannot be compared without loss");
    refused(field("price").gt(Long.MAX_VALUE), "without loss with the Long 9223372036854775807");
    refused(field("quantity").gt(1.5), "\"quantity\" is a int, which cannot be compared with");
    refused(field("symbol").in("a", 1), "\"symbol\" is a string");
    refused(field("side").lt(Order.Side.BUY), "has no order here");
    refused(field("open").gt(true), "has no order here");
    refused(field("quantity").startsWith("1"), "cannot begin with");
    refused(version().eq(1), "\"version\" is a version");
    refused(lifespan().gt(1), "\"lifespan\" is a duration");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> compiler.number(field("symbol")))
        .withMessageContaining("no number to add up");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> compiler.decodable(version()))
        .withMessageContaining("can be compared, but not selected");
  }

  @Test
  void programsAreBounded() {
    List<Integer> many = IntStream.range(0, 9000).boxed().toList();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> compiler.check(only(field("number").in(many))))
        .withMessageContaining("65536 are the limit");
    EntryCondition deep = field("quantity").eq(1);
    for (int i = 0; i < 70; i++) {
      deep = deep.not();
    }
    EntryCondition tooDeep = deep;
    assertThatIllegalArgumentException()
        .isThrownBy(() -> compiler.check(only(tooDeep)))
        .withMessageContaining("deep in each other");
    byte[] page = entry(Codecs.string(), "k", ORDERS, order(), 3, 0);
    assertThat(accepts(all(), page)).isTrue();
    assertThat(accepts(any(), page)).isFalse();
    assertThat(accepts(field("quantity").in(), page)).isFalse();
  }

  @Test
  void aProgramOfAnotherVersionIsNamed() {
    byte[] program = compiler.compile(only(key().eq("k")));
    program[0] = 9;
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Operators.load(program))
        .withMessageContaining("version 9");
  }

  private void refused(EntryCondition condition, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> compiler.check(only(condition)))
        .withMessageContaining(message);
  }

  private boolean accepts(EntryCondition condition, byte[] page) {
    return filter(compiler, condition).accepts(page, 0, page.length);
  }

  private static Order order() {
    return new Orders(new Random(1)).order();
  }

  private static EntryChoice only(EntryCondition condition) {
    return EntryChoice.ALL.and(condition);
  }

  private static FunctionCall call(Kind kind) {
    return FunctionCall.of(
        kind, FunctionName.of("twice", Codecs.string(), Codecs.string()), "argument");
  }

  private static EntryFilter filter(OperatorCompiler by, EntryCondition condition) {
    return Operators.load(by.compile(only(condition))).filter(new EntryFrame(() -> NOW_MILLIS));
  }

  private static <K, V> byte[] entry(
      Codec<K> keys, K key, Codec<V> values, V value, long counter, long expiryMillis) {
    byte[] keyBytes = bytes(keys, key);
    byte[] valueBytes = bytes(values, value);
    int size =
        (int) EntryLayout.entryBytes(keyBytes.length, valueBytes.length, 2, counter, expiryMillis);
    byte[] page = new byte[size];
    EntryLayout.write(page, 0, keyBytes, valueBytes, 2, counter, expiryMillis);
    return page;
  }

  private static <T> byte[] bytes(Codec<T> codec, T value) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    assertThat(ByteInput.of(out.toByteArray()).remaining()).isEqualTo(out.size());
    return out.toByteArray();
  }
}
