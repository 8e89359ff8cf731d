package dev.headrace.jcache.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.io.File;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Year;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ObjectCodecTest {
  private static final ClassLoader LOADER = ObjectCodecTest.class.getClassLoader();

  /** A class of the program. */
  record Quote(String symbol, double price) implements Serializable {}

  /** What a dynamic proxy answers. */
  record Answer(int number) implements InvocationHandler, Serializable {
    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
      return number;
    }
  }

  /** Knows which classes it was asked for. */
  private static final class RecordingLoader extends ClassLoader {
    private final List<String> asked = new ArrayList<>();

    RecordingLoader() {
      super(LOADER);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      asked.add(name);
      return super.loadClass(name, resolve);
    }
  }

  private static ObjectCodec codec(String pattern, Class<?>... types) {
    return new ObjectCodec(new ObjectFilter(LOADER, Set.of(types), pattern));
  }

  private static byte[] encode(Object value) {
    ByteOutput out = new ByteOutput();
    codec(null).encode(value, out);
    return out.toByteArray();
  }

  private static String refusal(ObjectCodec codec, byte[] bytes) {
    return catchThrowable(() -> codec.decode(ByteInput.of(bytes))).getMessage();
  }

  @Test
  void everydayObjectsAreShortAndOfTheSameType() {
    for (Object value :
        List.of(
            "text",
            1,
            2L,
            (short) 3,
            (byte) 4,
            5.5,
            6.5f,
            true,
            'c',
            new UUID(1, 2),
            new BigDecimal("7.50"),
            Instant.EPOCH,
            LocalDate.EPOCH,
            URI.create("headrace:alone"))) {
      byte[] bytes = encode(value);

      assertThat(codec(null).decode(ByteInput.of(bytes))).isEqualTo(value);
      assertThat(bytes).as("%s", value).hasSizeLessThan(20);
    }
    assertThat(codec(null).decode(ByteInput.of(encode(new byte[] {1, 2}))))
        .isEqualTo(new byte[] {1, 2});
  }

  @Test
  void valuesOfTheJdkAreSerialized() {
    Map<String, Object> map = new HashMap<>();
    map.put("lists", new ArrayList<>(List.of(Duration.ofDays(1), Year.of(2026))));
    map.put("sets", new HashSet<>(Set.of(1, 2, 3)));
    map.put("arrays", Arrays.asList(1L, "2", null));

    assertThat(codec(null).decode(ByteInput.of(encode(map)))).isEqualTo(map);
    assertThat(codec(null).decode(ByteInput.of(encode(new int[300_000]))))
        .isEqualTo(new int[300_000]);
    assertThat(codec(null).decode(ByteInput.of(encode(new HashMap<>(50))))).isEqualTo(Map.of());
    assertThat(codec(null).decode(ByteInput.of(encode(new int[][] {{1}, {2, 3}}))))
        .isEqualTo(new int[][] {{1}, {2, 3}});
    assertThat(codec(null).decode(ByteInput.of(encode(new Serializable[] {1, "2"}))))
        .isEqualTo(new Serializable[] {1, "2"});
  }

  @Test
  void classesOfTheProgramAreReadWhereACacheHasTheirTypesOrAPatternAllowsThem() {
    Quote quote = new Quote("ACME", 3.5);
    byte[] bytes = encode(quote);

    assertThat(codec(null, Quote.class).decode(ByteInput.of(bytes))).isEqualTo(quote);
    assertThat(codec("dev.headrace.**").decode(ByteInput.of(bytes))).isEqualTo(quote);
    assertThatThrownBy(() -> codec(null).decode(ByteInput.of(bytes)))
        .hasMessageContaining("headrace.serialFilter");
    assertThatThrownBy(() -> codec("!dev.headrace.**", Quote.class).decode(ByteInput.of(bytes)))
        .hasMessageContaining("REJECTED");
    assertThatThrownBy(() -> codec(null).decode(ByteInput.of(encode(new File("x")))))
        .hasMessageContaining("REJECTED");
    assertThatThrownBy(() -> codec("maxdepth=deep")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aClassThatIsNotAllowedIsNotLoaded() {
    RecordingLoader loader = new RecordingLoader();
    ObjectCodec codec = new ObjectCodec(new ObjectFilter(loader, Set.of(Quote.class), null));
    byte[] present = encode(new File("x"));
    byte[] absent =
        new String(present, StandardCharsets.ISO_8859_1)
            .replace("java.io.File", "java.io.Nile")
            .getBytes(StandardCharsets.ISO_8859_1);

    String refused = refusal(codec, present);
    assertThat(refused).contains("java.io.File", "REJECTED", "headrace.serialFilter");
    assertThat(refusal(codec, absent)).isEqualTo(refused.replace("java.io.File", "java.io.Nile"));
    assertThat(refusal(codec, encode(new File[1][1]))).contains("REJECTED");
    assertThat(loader.asked).isEmpty();

    Quote quote = new Quote("ACME", 3.5);
    assertThat(codec.decode(ByteInput.of(encode(quote)))).isEqualTo(quote);
    assertThat(loader.asked).contains(Quote.class.getName());
  }

  @Test
  void dynamicProxiesAreRefused() {
    Object proxy = Proxy.newProxyInstance(LOADER, new Class<?>[] {Comparable.class}, new Answer(1));

    assertThat(refusal(codec("*", Answer.class), encode(proxy))).contains("dynamic proxies");
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void setsInSetsWhoseHashTakesForeverAreRefused() {
    Set<Object> bomb = new HashSet<>();
    Set<Object> one = bomb;
    Set<Object> other = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      Set<Object> nextOne = new HashSet<>(Set.of("one"));
      Set<Object> nextOther = new HashSet<>();
      one.add(nextOne);
      one.add(nextOther);
      other.add(nextOne);
      other.add(nextOther);
      one = nextOne;
      other = nextOther;
    }

    assertThat(refusal(codec(null), encode(bomb))).contains("REJECTED");
  }

  @Test
  void objectsMayContainEachOtherToSomeDepth() {
    Object nested = 1;
    for (int i = 0; i < ObjectFilter.MAX_DEPTH - 2; i++) {
      nested = new ArrayList<>(List.of(nested));
    }

    assertThat(codec(null).decode(ByteInput.of(encode(nested)))).isEqualTo(nested);
  }

  @Test
  void wrongBytesAreRefused() {
    assertThatThrownBy(() -> codec(null).decode(ByteInput.of(new byte[] {99, 1})))
        .hasMessageContaining("unknown type 99");
    assertThatThrownBy(() -> codec(null).decode(ByteInput.of(new byte[] {-1})))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> codec(null).decode(ByteInput.of(new byte[] {0, 1, 2})))
        .isInstanceOf(IllegalArgumentException.class);
    byte[] array = encode(new int[1000]);
    // The length of the array, which stands before its numbers, says two thousand million now.
    array[array.length - 4004] = 0x7F;
    assertThatThrownBy(() -> codec(null).decode(ByteInput.of(array)))
        .hasMessageContaining("REJECTED");
  }

  @Test
  void equalKeysHaveEqualBytes() {
    assertThat(encode(new String("key"))).isEqualTo(encode("key"));
    assertThat(encode(Year.of(2026))).isEqualTo(encode(Year.of(2026)));
    assertThat(ObjectCodec.sameBytes(1, 1)).isTrue();
    assertThat(ObjectCodec.sameBytes(1, 1L)).isFalse();
  }
}
