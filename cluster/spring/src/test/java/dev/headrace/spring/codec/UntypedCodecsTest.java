package dev.headrace.spring.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.AccessMode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.cache.support.NullValue;

/** Keys and values of caches whose types nobody has named. */
final class UntypedCodecsTest {
  private static final ClassLoader LOADER = UntypedCodecsTest.class.getClassLoader();
  private static final AllowedClasses NONE = new AllowedClasses(List.of(), LOADER);
  private static final AllowedClasses OURS =
      new AllowedClasses(List.of("dev.headrace.spring.codec"), LOADER);

  private static final Codec<Object> KEYS = new UntypedKeyCodec("labels", OURS);
  private static final Codec<Object> VALUES = new UntypedValueCodec("labels", OURS);

  /** A kind of product. */
  enum Kind {
    BOOK,
    GAME {
      @Override
      boolean isFun() {
        return true;
      }
    };

    boolean isFun() {
      return false;
    }
  }

  /** A product with parts. */
  record Box(String name, Kind kind, List<Integer> sizes, Map<String, Object> more)
      implements Serializable {}

  private static byte[] bytes(Codec<Object> codec, Object value) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    return out.toByteArray();
  }

  private static Object backAndForth(Codec<Object> codec, Object value) {
    return codec.decode(ByteInput.of(bytes(codec, value)));
  }

  static Stream<Object> simple() {
    return Stream.of(
        "text",
        "",
        7,
        7L,
        (short) 7,
        (byte) 7,
        7.5,
        7.5f,
        true,
        'x',
        UUID.fromString("00000000-0000-0001-0000-000000000002"),
        Instant.ofEpochSecond(5, 6),
        LocalDate.of(2026, 11, 23),
        Duration.ofMinutes(3),
        URI.create("https://example.org"),
        BigInteger.TEN,
        new BigDecimal("1.50"),
        new byte[] {1, 2},
        new long[] {3, 4});
  }

  @ParameterizedTest
  @MethodSource("simple")
  void simpleTypesComeBack(Object value) {
    assertThat(backAndForth(VALUES, value)).isEqualTo(value);
    assertThat(backAndForth(KEYS, value)).isEqualTo(value);
  }

  static Stream<Object> composed() {
    return Stream.of(
        Kind.BOOK,
        Kind.GAME,
        SimpleKey.EMPTY,
        new SimpleKey("a", 1, null),
        new SimpleKey(Kind.GAME, List.of("x", List.of()), new String[] {"y"}, new int[] {1}),
        Arrays.asList("a", null));
  }

  @ParameterizedTest
  @MethodSource("composed")
  void keysOfSeveralPartsComeBack(Object key) {
    assertThat(backAndForth(KEYS, key)).isEqualTo(key);
  }

  @Test
  void equalKeysHaveEqualBytesAndOthersDiffer() {
    List<Object> keys = new ArrayList<>();
    Stream.concat(simple(), composed()).forEach(keys::add);
    keys.addAll(
        List.of(
            new SimpleKey("a", "b"),
            new SimpleKey("a, b"),
            new SimpleKey("ab"),
            new SimpleKey(List.of("a", "b")),
            List.of("a", "b"),
            new SimpleKey(1, 2),
            new SimpleKey(1L, 2L)));
    TreeSet<String> different = new TreeSet<>();
    keys.forEach(key -> different.add(Arrays.toString(bytes(KEYS, key))));
    assertThat(different).hasSameSizeAs(keys);
    assertThat(bytes(KEYS, new SimpleKey(new String("a"), "a")))
        .isEqualTo(bytes(KEYS, new SimpleKey("a", "a")));
    assertThat(bytes(KEYS, new ArrayList<>(List.of(1)))).isEqualTo(bytes(KEYS, List.of(1)));
  }

  @Test
  void otherKeysAreRefusedWithAdvice() {
    assertThatThrownBy(
            () -> bytes(KEYS, new SimpleKey("a", new Box("b", Kind.BOOK, List.of(), Map.of()))))
        .isInstanceOf(ClassCastException.class)
        .hasMessageContaining("Box")
        .hasMessageContaining("headrace.caches.labels.key-type");
  }

  @Test
  void nullAndObjectsOfAllowedClassesComeBack() {
    assertThat(backAndForth(VALUES, NullValue.INSTANCE)).isSameAs(NullValue.INSTANCE);
    HashMap<String, Object> more = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      more.put("key-" + i, new BigDecimal(i));
    }
    more.put("date", LocalDate.of(2026, 11, 23));
    more.put("array", new Box[0]);
    Box box = new Box("b", Kind.GAME, List.of(1, 2), more);
    Box back = (Box) backAndForth(VALUES, box);
    assertThat(back.name()).isEqualTo("b");
    assertThat(back.kind()).isEqualTo(Kind.GAME);
    assertThat(back.sizes()).containsExactly(1, 2);
    assertThat(back.more()).hasSize(102).containsEntry("key-7", new BigDecimal(7));
    assertThat(backAndForth(VALUES, new ArrayList<>(List.of(box)))).isInstanceOf(List.class);
  }

  @Test
  void objectsOfOtherClassesAreRefusedWhenTheyAreWritten() {
    for (Object value :
        List.of(
            Thread.State.NEW,
            new Box("b", Kind.BOOK, List.of(), Map.of("mode", AccessMode.READ)),
            new Object())) {
      assertThatThrownBy(() -> bytes(VALUES, value))
          .isInstanceOf(ClassCastException.class)
          .hasMessageContaining("headrace.caches.labels.value-type")
          .hasMessageContaining("headrace.serialization.packages");
    }
    Codec<Object> closed = new UntypedValueCodec("labels", NONE);
    assertThatThrownBy(() -> bytes(closed, new ArrayList<>()))
        .isInstanceOf(ClassCastException.class);
    assertThatThrownBy(() -> bytes(closed, Kind.BOOK)).isInstanceOf(ClassCastException.class);
  }

  static Stream<Object> foreign() {
    return Stream.of(
        AccessMode.READ,
        new ArrayList<>(List.of(AccessMode.READ)),
        new AccessMode[] {AccessMode.READ},
        new File("x"),
        new AtomicInteger());
  }

  @ParameterizedTest
  @MethodSource("foreign")
  void bytesThatNameOtherClassesAreRefused(Object value) throws IOException {
    byte[] bytes = serialized(value);
    assertThatThrownBy(() -> VALUES.decode(ByteInput.of(bytes)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("headrace.serialization.packages");
  }

  private static byte[] serialized(Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(TaggedTypes.SERIALIZED);
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    return bytes.toByteArray();
  }

  @Test
  @Timeout(30)
  void setsNestedSoDeepThatHashingThemHangsAreRefused() throws IOException {
    Set<Object> bomb = new HashSet<>();
    Set<Object> left = bomb;
    Set<Object> right = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      Set<Object> nextLeft = new HashSet<>(List.of("differs"));
      Set<Object> nextRight = new HashSet<>();
      left.add(nextLeft);
      left.add(nextRight);
      right.add(nextLeft);
      right.add(nextRight);
      left = nextLeft;
      right = nextRight;
    }
    byte[] bytes = serialized(bomb);
    assertThat(bytes).hasSizeLessThan(10_000);
    assertThatThrownBy(() -> VALUES.decode(ByteInput.of(bytes)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot be read");
  }

  @Test
  void whatIsNestedLessDeepComesBack() {
    List<Object> nested = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      nested = new ArrayList<>(List.of(nested));
    }
    Box box = new Box("b", Kind.BOOK, List.of(), Map.of("nested", nested));
    assertThat(backAndForth(VALUES, box)).isEqualTo(box);
  }

  @Test
  void constantsOfOtherClassesAreNotLoaded() {
    byte[] bytes = bytes(new UntypedKeyCodec("labels", NONE), Kind.BOOK);
    assertThat(KEYS.decode(ByteInput.of(bytes))).isEqualTo(Kind.BOOK);
    assertThatThrownBy(() -> new UntypedKeyCodec("labels", NONE).decode(ByteInput.of(bytes)))
        .isInstanceOf(ClassCastException.class)
        .hasMessageContaining("headrace.serialization.packages");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "*", "com.*", "java", "java.util", "javax.swing", "com.sun.x", "a..b"})
  void packagesThatAreNotOnesOwnCannotBeAllowed(String name) {
    assertThatThrownBy(() -> new AllowedClasses(List.of(name), LOADER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("packages of your own");
  }

  @Test
  void aPackageIsNotItsNeighbour() {
    AllowedClasses allowed = new AllowedClasses(List.of("com.example"), LOADER);
    assertThat(allowed.isNamed("com.example.Shop")).isTrue();
    assertThat(allowed.isNamed("com.example.part.Shop")).isTrue();
    assertThat(allowed.isNamed("com.examples.Shop")).isFalse();
  }

  @Test
  void bytesOfNoTypeAreRefused() {
    for (byte tag : new byte[] {TaggedTypes.LIST, 15, 99, -1}) {
      assertThatThrownBy(() -> VALUES.decode(ByteInput.of(new byte[] {tag})))
          .isInstanceOf(RuntimeException.class);
    }
    assertThatThrownBy(() -> KEYS.decode(ByteInput.of(new byte[] {TaggedTypes.NULL})))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void typedValuesHaveTheBuiltInFormat(boolean nulls) {
    Codec<Object> codec = ConfiguredCodec.of(int.class, "headrace.caches.x.value-type", nulls);
    assertThat(codec.format()).isEqualTo(nulls ? "optional(int)" : "int");
    assertThat(backAndForth(codec, 5)).isEqualTo(5);
    assertThatThrownBy(() -> bytes(codec, 5L))
        .isInstanceOf(ClassCastException.class)
        .hasMessageContaining("headrace.caches.x.value-type is java.lang.Integer")
        .hasMessageContaining("java.lang.Long");
    @Nullable Object back = nulls ? backAndForth(codec, NullValue.INSTANCE) : null;
    assertThat(back).isEqualTo(nulls ? NullValue.INSTANCE : null);
  }
}
