package dev.headrace.benchmarks.codec;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import com.fasterxml.jackson.dataformat.smile.databind.SmileMapper;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.benchmarks.harness.Entries;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * A codec, or another library's serialization, and {@value #COUNT} objects for it.
 *
 * @param serialization encodes and decodes them
 * @param objects what is encoded
 */
record CodecSubject<T>(Serialization<T> serialization, List<T> objects) {

  /** A power of two. */
  static final int COUNT = 1024;

  /** Orders as the record codec writes them; other libraries have a name behind this. */
  static final String ORDER = "order";

  private static final List<TimeUnit> UNITS = List.of(TimeUnit.values());
  private static final Entries ENTRIES = new Entries(COUNT + 5, 100);

  /** A record of the kind that caches hold. */
  record Purchase(long number, String customer, Instant placed, TimeUnit unit, String note) {}

  /** The subject of this name. */
  static CodecSubject<?> of(String name) {
    return switch (name) {
      case "key" -> of(Codecs.string(), ENTRIES::key);
      case "text" -> of(Codecs.string(), i -> ("Grüße an " + ENTRIES.key(i) + " ").repeat(5));
      case "bytes" -> of(Codecs.bytes(), ENTRIES::value);
      case "number" -> of(Codecs.of(Long.class), i -> (long) i << (i % 50));
      case "uuid" -> of(Codecs.of(UUID.class), i -> new UUID(i * 31L, ~i));
      case "instant" -> of(Codecs.of(Instant.class), i -> Instant.ofEpochSecond(i, i));
      case "enumeration" ->
          of(Codecs.enumeration(TimeUnit.class), i -> UNITS.get(i % UNITS.size()));
      case "record" -> of(Codecs.record(Purchase.class), CodecSubject::purchase);
      case ORDER -> orders(new CodecSerialization<>(Codecs.record(GuideOrders.Order.class)));
      case ORDER + "-kryo" -> orders(new KryoOrders());
      case ORDER + "-json" -> orders(new JacksonOrders(new ObjectMapper()));
      case ORDER + "-cbor" -> orders(new JacksonOrders(new CBORMapper()));
      case ORDER + "-smile" -> orders(new JacksonOrders(new SmileMapper()));
      default -> throw new IllegalArgumentException("There is no codec called " + name);
    };
  }

  private static <T> CodecSubject<T> of(Codec<T> codec, IntFunction<T> object) {
    return of(new CodecSerialization<>(codec), object);
  }

  private static CodecSubject<GuideOrders.Order> orders(
      Serialization<GuideOrders.Order> serialization) {
    return of(serialization, i -> GuideOrders.order(i, ENTRIES));
  }

  private static <T> CodecSubject<T> of(Serialization<T> serialization, IntFunction<T> object) {
    return new CodecSubject<>(serialization, IntStream.range(0, COUNT).mapToObj(object).toList());
  }

  private static Purchase purchase(int i) {
    return new Purchase(
        i, ENTRIES.key(i), Instant.ofEpochSecond(i), UNITS.get(i % UNITS.size()), ENTRIES.key(i));
  }
}
