package dev.headrace.stream.operator;

import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.api.stream.operator.Expressions;
import dev.headrace.api.stream.operator.Operand;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Random orders, and random conditions with what they mean in plain Java. */
public final class Orders {

  private static final Instant EPOCH = Instant.EPOCH;

  private final Random random;

  public Orders(Random random) {
    this.random = random;
  }

  /** A condition, and the same in Java. */
  public record Wanted(EntryCondition condition, BiPredicate<String, Order> predicate) {}

  private record Part(
      Operand operand, Function<Order, @Nullable Object> getter, Supplier<Object> constant) {}

  public Order order() {
    return new Order(
        random.nextInt(10),
        maybe(this::number),
        maybe(this::price),
        maybe(this::text),
        maybe(this::customer),
        maybe(this::instant),
        random.nextBoolean(),
        random.nextInt(4) / 2f,
        (short) (random.nextInt(7) - 3),
        maybe(() -> (byte) (random.nextInt(5) - 2)),
        mark(),
        maybe(this::uuid),
        maybe(this::bytes),
        maybe(this::side));
  }

  private Order.Customer customer() {
    return new Order.Customer(
        maybe(this::text),
        maybe(() -> random.nextInt(5)),
        new Order.Address(text(), maybe(this::number)));
  }

  private <T> @Nullable T maybe(Supplier<T> value) {
    return random.nextInt(4) == 0 ? null : value.get();
  }

  private long number() {
    return random.nextInt(20) == 0 ? random.nextLong() : random.nextInt(7) - 3;
  }

  private double price() {
    return switch (random.nextInt(12)) {
      case 0 -> Double.NaN;
      case 1 -> -0.0;
      case 2 -> Double.POSITIVE_INFINITY;
      default -> random.nextInt(9) / 2.0;
    };
  }

  public String text() {
    String[] parts = {"", "a", "b", "EU", "\u00fc", "\u20ac", "\ud83d\ude00", "EU-"};
    int[] count = {1 + random.nextInt(3)};
    String text =
        Stream.generate(() -> parts[random.nextInt(parts.length)])
            .limit(count[0])
            .reduce("", String::concat);
    return random.nextInt(30) == 0 ? text + "x".repeat(300) : text;
  }

  private Instant instant() {
    return EPOCH.plusSeconds(random.nextInt(3) - 1).plusNanos(random.nextInt(2) * 5L);
  }

  private UUID uuid() {
    return new UUID(random.nextInt(2), random.nextInt(2));
  }

  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(3)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(3) - 1);
    }
    return bytes;
  }

  private Order.Side side() {
    return List.of(Order.Side.values()).get(random.nextInt(3));
  }

  private char mark() {
    return (char) (random.nextBoolean() ? 'a' + random.nextInt(3) : 0xFFF0 + random.nextInt(3));
  }

  /** A condition on orders of string keys. */
  public Wanted condition(int depth) {
    if (depth > 0 && random.nextBoolean()) {
      Wanted one = condition(depth - 1);
      Wanted other = condition(depth - 1);
      return switch (random.nextInt(3)) {
        case 0 ->
            new Wanted(
                one.condition().and(other.condition()), one.predicate().and(other.predicate()));
        case 1 ->
            new Wanted(
                one.condition().or(other.condition()), one.predicate().or(other.predicate()));
        default -> new Wanted(one.condition().not(), one.predicate().negate());
      };
    }
    return switch (random.nextInt(10)) {
      case 0 -> absence();
      case 1 -> prefix();
      case 2 -> membership();
      case 3 -> length();
      default -> comparison();
    };
  }

  private List<Part> parts() {
    return List.of(
        new Part(Expressions.field("quantity"), Order::quantity, () -> random.nextInt(10)),
        new Part(Expressions.field("number"), Order::number, this::number),
        new Part(Expressions.field("price"), Order::price, this::price),
        new Part(Expressions.field("symbol"), Order::symbol, this::text),
        new Part(Expressions.field("customer.country"), of(Order.Customer::country), this::text),
        new Part(
            Expressions.field("customer.age"), of(Order.Customer::age), () -> random.nextInt(5)),
        new Part(
            Expressions.field("customer.address.city"), of(c -> c.address().city()), this::text),
        new Part(
            Expressions.field("customer.address.code"), of(c -> c.address().code()), this::number),
        new Part(Expressions.field("at"), Order::at, this::instant),
        new Part(Expressions.field("open"), Order::open, random::nextBoolean),
        new Part(Expressions.field("weight"), Order::weight, () -> random.nextInt(4) / 2f),
        new Part(Expressions.field("shelf"), Order::shelf, () -> random.nextInt(7) - 3),
        new Part(Expressions.field("grade"), Order::grade, () -> random.nextInt(5) - 2L),
        new Part(Expressions.field("mark"), Order::mark, this::mark),
        new Part(Expressions.field("id"), Order::id, this::uuid),
        new Part(Expressions.field("note"), Order::note, this::bytes),
        new Part(Expressions.field("side"), Order::side, this::side));
  }

  private static Function<Order, @Nullable Object> of(
      Function<Order.Customer, @Nullable Object> getter) {
    return order -> order.customer() == null ? null : getter.apply(order.customer());
  }

  private Part any() {
    List<Part> parts = parts();
    return parts.get(random.nextInt(parts.size()));
  }

  private Wanted absence() {
    Part part = any();
    return new Wanted(part.operand().isNull(), (key, order) -> part.getter().apply(order) == null);
  }

  private Wanted prefix() {
    String prefix = text();
    return random.nextBoolean()
        ? new Wanted(Expressions.key().startsWith(prefix), (key, order) -> key.startsWith(prefix))
        : new Wanted(
            Expressions.field("symbol").startsWith(prefix),
            (key, order) -> order.symbol() != null && order.symbol().startsWith(prefix));
  }

  private Wanted membership() {
    Part part = any();
    List<Object> constants = Stream.generate(part.constant()).limit(random.nextInt(6)).toList();
    return new Wanted(
        part.operand().in(constants),
        (key, order) ->
            constants.stream().anyMatch(each -> holds(0, part.getter().apply(order), each)));
  }

  private Wanted length() {
    int bound = random.nextInt(6);
    return new Wanted(
        Expressions.field("symbol").lengthBytes().gt(bound),
        (key, order) -> order.symbol() != null && utf8(order.symbol()).length > bound);
  }

  private Wanted comparison() {
    Part part = any();
    Object constant = part.constant().get();
    Set<String> unordered = new HashSet<>(Set.of("open", "id", "side"));
    int relation = random.nextInt(unordered.contains(part.operand().toString()) ? 2 : 6);
    Operand operand = part.operand();
    EntryCondition condition =
        switch (relation) {
          case 0 -> operand.eq(constant);
          case 1 -> operand.ne(constant);
          case 2 -> operand.lt(constant);
          case 3 -> operand.le(constant);
          case 4 -> operand.gt(constant);
          default -> operand.ge(constant);
        };
    return new Wanted(
        condition, (key, order) -> holds(relation, part.getter().apply(order), constant));
  }

  private static boolean holds(int relation, @Nullable Object value, Object constant) {
    if (value == null) {
      return false;
    }
    if (value instanceof Double || value instanceof Float) {
      double one = ((Number) value).doubleValue();
      double other = ((Number) constant).doubleValue();
      return switch (relation) {
        case 0 -> one == other;
        case 1 -> one != other;
        case 2 -> one < other;
        case 3 -> one <= other;
        case 4 -> one > other;
        default -> one >= other;
      };
    }
    int order = compare(value, constant);
    return switch (relation) {
      case 0 -> order == 0;
      case 1 -> order != 0;
      case 2 -> order < 0;
      case 3 -> order <= 0;
      case 4 -> order > 0;
      default -> order >= 0;
    };
  }

  @SuppressWarnings("unchecked")
  private static int compare(Object value, Object constant) {
    if (value instanceof Number) {
      return new BigDecimal(value.toString()).compareTo(new BigDecimal(constant.toString()));
    } else if (value instanceof String text) {
      return Arrays.compareUnsigned(utf8(text), utf8((String) constant));
    } else if (value instanceof byte[] bytes) {
      return Arrays.compareUnsigned(bytes, (byte[]) constant);
    }
    return ((Comparable<Object>) value).compareTo(constant);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }
}
