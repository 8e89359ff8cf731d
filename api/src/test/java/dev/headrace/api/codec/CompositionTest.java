package dev.headrace.api.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.CodecException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Records, classes and sealed interfaces, and codecs for single components. */
final class CompositionTest {
  private record Item(String name, int count) {}

  private record Order(long number, @Nullable List<Item> items) {}

  private record Job(String name, @Nullable Thread worker) {}

  private record Plan(@Nullable Job first, int priority) {}

  private record Tree(String name, List<Tree> children) {}

  /** Names of threads; nobody would want that. */
  private static final Codec<Thread> THREADS =
      new Codec<>() {
        @Override
        public String format() {
          return "thread";
        }

        @Override
        public void encode(Thread value, ByteOutput out) {
          out.writeUtf8(value.getName());
        }

        @Override
        public Thread decode(ByteInput in) {
          return new Thread(null, null, in.readUtf8(in.remaining()));
        }
      };

  /** Items as text, such as {@code 3 pears}. */
  private static final Codec<Item> ITEMS =
      new Codec<>() {
        @Override
        public String format() {
          return "item";
        }

        @Override
        public void encode(Item value, ByteOutput out) {
          out.writeUtf8(value.count() + " " + value.name());
        }

        @Override
        public Item decode(ByteInput in) {
          String[] words = in.readUtf8(in.remaining()).split(" ", 2);
          return new Item(words[1], Integer.parseInt(words[0]));
        }
      };

  @Test
  void aComponentMayHaveACodecOfItsOwn() {
    Codec<Order> plain = Codecs.of(Order.class);
    Codec<Order> other = Codecs.record(Order.class).with("items", Codecs.list(ITEMS));
    Order order = new Order(7, List.of(new Item("pears", 3), new Item("plums", 12)));

    assertThat(plain.format())
        .isEqualTo("record Order(number long, items list(record Item(name string, count int)))");
    assertThat(other.format()).isEqualTo("record Order(number long, items list(item))");
    assertThat(back(plain, order)).isEqualTo(order);
    assertThat(back(other, order)).isEqualTo(order);
    assertThat(back(other, new Order(7, null))).isEqualTo(new Order(7, null));
    assertThat(new String(bytes(other, order), StandardCharsets.ISO_8859_1))
        .endsWith("3 pears\u000812 plums");
  }

  @Test
  void aComponentWithoutABuiltInCodecGetsOne() {
    ComposedCodec<Job> without = Codecs.record(Job.class);
    assertThatThrownBy(without::format)
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("java.lang.Thread, the type of component \"worker\" of record")
        .hasMessageContaining("Codecs.record(type).with(name, codec)");
    assertThatThrownBy(() -> bytes(without, new Job("j", null))).isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> without.decode(ByteInput.of(new byte[9])))
        .isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> CodecLayout.of(without)).isInstanceOf(CodecException.class);

    Codec<Job> with = without.with("worker", THREADS);

    assertThat(with.format()).isEqualTo("record Job(name string, worker thread)");
    Job back = back(with, new Job("j", new Thread(null, null, "w")));
    assertThat(back.worker()).extracting(Thread::getName).isEqualTo("w");
  }

  @Test
  void aComponentWhosePartsHaveNoCodecGetsOneToo() {
    assertThatThrownBy(() -> Codecs.of(Plan.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("\"worker\" of record " + Job.class.getName());
    Codec<Plan> with =
        Codecs.record(Plan.class).with("first", Codecs.record(Job.class).with("worker", THREADS));

    assertThat(with.format())
        .isEqualTo("record Plan(first record Job(name string, worker thread), priority int)");
    assertThat(back(with, new Plan(null, 3))).isEqualTo(new Plan(null, 3));
  }

  @Test
  void aComponentThatDoesNotExistIsRefusedWithThoseThatDo() {
    assertThatThrownBy(() -> Codecs.record(Item.class).with("price", Codecs.string()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("; there are name, count");
  }

  @Test
  void aRecordThatContainsItselfThroughAListIsRefused() {
    assertThatThrownBy(() -> Codecs.of(Tree.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining(Tree.class.getName() + ", because it contains itself");
  }

  // ---- Null

  private record Texts(
      List<String> strict,
      @Nullable List<@Nullable String> loose,
      @Nullable Map<String, @Nullable Integer> counts) {}

  @Test
  void nullIsKeptWhereItIsDeclaredAndRefusedElsewhere() {
    Codec<Texts> codec = Codecs.of(Texts.class);
    Map<String, @Nullable Integer> counts = new HashMap<>();
    counts.put("none", null);
    counts.put("some", 1);
    Texts fine = new Texts(List.of("a"), Arrays.asList("b", null, ""), counts);

    assertThat(codec.format())
        .isEqualTo(
            "record Texts(strict list(string), loose list(string?), counts map(string, int?))");
    assertThat(back(codec, fine)).isEqualTo(fine);
    assertThatThrownBy(() -> bytes(codec, new Texts(Arrays.asList("a", null), null, null)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("There is a null in a value of format \"list(string)\"");
  }

  @Test
  void whatIsReadCannotBeChanged() {
    List<String> list = back(Codecs.list(Codecs.string()), new ArrayList<>(List.of("a")));
    Set<String> set = back(Codecs.set(Codecs.string()), Set.of("a"));
    Map<String, String> map = back(Codecs.map(Codecs.string(), Codecs.string()), Map.of("a", "b"));

    assertThatThrownBy(() -> list.set(0, "b")).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> set.add("b")).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> map.put("b", "c")).isInstanceOf(UnsupportedOperationException.class);
  }

  // ---- Classes of properties

  /** As many are written. */
  public static class Customer {
    private final String name;
    private final Optional<Integer> age;

    public Customer(String name, Optional<Integer> age) {
      this.name = name;
      this.age = age;
    }

    public String getName() {
      return name;
    }

    public Optional<Integer> age() {
      return age;
    }
  }

  /** Has more than a Customer has. */
  public static final class Friend extends Customer {
    public Friend(String name) {
      super(name, Optional.empty());
    }
  }

  /** Two ways to make it. */
  public static final class Undecided {
    public Undecided() {}

    public Undecided(String text) {}
  }

  private record Sale(Customer customer) {}

  @Test
  void aClassIsWrittenByItsPropertiesAlsoWithinARecord() {
    Codec<Sale> codec = Codecs.of(Sale.class);
    Sale back = back(codec, new Sale(new Customer("Al", Optional.of(40))));

    assertThat(codec.format())
        .isEqualTo("record Sale(customer record Customer(name string, age optional(int)))");
    assertThat(back.customer().getName()).isEqualTo("Al");
    assertThat(back.customer().age()).contains(40);
  }

  @Test
  void theNamesOfPropertiesMayBeGiven() {
    assertThat(Codecs.properties(Customer.class, "name", "age").format())
        .isEqualTo(Codecs.properties(Customer.class).format());
    assertThatThrownBy(() -> Codecs.properties(Customer.class, "name", "height"))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("is not made of properties");
    assertThatThrownBy(() -> Codecs.properties(Customer.class, "name"))
        .isInstanceOf(CodecException.class);
  }

  @Test
  void anObjectOfASubclassIsRefusedBecauseItWouldComeBackAsAnother() {
    assertThatThrownBy(() -> bytes(Codecs.of(Customer.class), new Friend("Bo")))
        .isInstanceOf(ClassCastException.class)
        .hasMessageContaining(Friend.class.getName());
  }

  @Test
  void aClassThatIsNotMadeOfPropertiesHasNoCodec() {
    for (Class<?> type : List.of(Object.class, Undecided.class, Thread.class)) {
      assertThatThrownBy(() -> Codecs.of(type))
          .isInstanceOf(CodecException.class)
          .hasMessageContaining("no built-in codec for " + type.getName());
    }
  }

  // ---- Sealed interfaces

  private sealed interface Event permits Opened, Changed {}

  private record Opened(long at) implements Event {}

  private sealed interface Changed extends Event permits Renamed, Moved {}

  private record Renamed(String name) implements Changed {}

  private record Moved(int x, int y) implements Changed {}

  private sealed interface Loose permits Open {}

  private non-sealed interface Open extends Loose {}

  @Test
  void theRecordsOfASealedInterfaceComeBackAsWhatTheyWere() {
    Codec<List<Event>> codec = Codecs.list(Codecs.of(Event.class));
    List<Event> events = List.of(new Moved(1, 2), new Opened(3), new Renamed(""));

    assertThat(back(codec, events)).isEqualTo(events);
    assertThat(codec.format())
        .isEqualTo(
            "list(sealed Event(record Opened(at long), record Renamed(name string), record Moved(x"
                + " int, y int)))");
  }

  @Test
  void anInterfaceThatAnybodyMayImplementHasNoCodec() {
    assertThatThrownBy(() -> Codecs.of(Loose.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining(Open.class.getName() + ", which " + Loose.class.getName());
  }

  @Test
  void aCollectionNeedsTheTypeOfItsElements() {
    for (Class<?> type : List.of(List.class, Set.class, Map.class, Optional.class)) {
      assertThatThrownBy(() -> Codecs.of(type)).isInstanceOf(CodecException.class);
    }
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
