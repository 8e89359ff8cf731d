package dev.headrace.benchmarks.codec;

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
 * A codec and {@value #COUNT} objects for it.
 *
 * @param codec encodes and decodes them
 * @param objects what is encoded
 */
record CodecSubject<T>(Codec<T> codec, List<T> objects) {

  /** A power of two. */
  static final int COUNT = 1024;

  private static final List<TimeUnit> UNITS = List.of(TimeUnit.values());
  private static final Entries ENTRIES = new Entries(COUNT, 100);

  /** A record of the kind that caches hold. */
  record Order(long number, String customer, Instant placed, TimeUnit unit, String note) {}

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
      case "record" -> of(Codecs.record(Order.class), CodecSubject::order);
      default -> throw new IllegalArgumentException("There is no codec called " + name);
    };
  }

  private static <T> CodecSubject<T> of(Codec<T> codec, IntFunction<T> object) {
    return new CodecSubject<>(codec, IntStream.range(0, COUNT).mapToObj(object).toList());
  }

  private static Order order(int i) {
    return new Order(
        i, ENTRIES.key(i), Instant.ofEpochSecond(i), UNITS.get(i % UNITS.size()), ENTRIES.key(i));
  }
}
