package dev.headrace.api.codec;

import dev.headrace.api.error.CodecException;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The built-in codecs. All may be used by many threads at the same time.
 *
 * <table>
 * <caption>Formats</caption>
 * <tr><th>type</th><th>bytes</th></tr>
 * <tr><td>{@code String}</td><td>UTF-8</td></tr>
 * <tr><td>{@code byte[]}</td><td>as they are</td></tr>
 * <tr><td>numbers, {@code Character}</td><td>1 to 8 bytes, big-endian</td></tr>
 * <tr><td>{@code Boolean}</td><td>1 byte, 0 or 1</td></tr>
 * <tr><td>{@code UUID}</td><td>16 bytes</td></tr>
 * <tr><td>{@code Instant}</td><td>8 bytes of seconds, 4 of nanoseconds</td></tr>
 * <tr><td>{@code BigInteger}</td><td>two's complement in the fewest bytes, big-endian</td></tr>
 * <tr><td>{@code BigDecimal}</td><td>the scale, then the unscaled number as above</td></tr>
 * <tr><td>{@code LocalDate}, {@code LocalTime}, {@code LocalDateTime}</td><td>5, 6 and 11 bytes</td></tr>
 * <tr><td>{@code OffsetDateTime}</td><td>14 bytes</td></tr>
 * <tr><td>{@code ZonedDateTime}</td><td>14 bytes, then the zone's name</td></tr>
 * <tr><td>{@code Duration}, {@code Year}</td><td>12 and 4 bytes</td></tr>
 * <tr><td>{@code Period}</td><td>years, months and days</td></tr>
 * <tr><td>{@code URI}</td><td>UTF-8</td></tr>
 * <tr><td>enums</td><td>the constant's name</td></tr>
 * <tr><td>{@code List}, arrays</td><td>one element after the other</td></tr>
 * <tr><td>{@code Set}, {@code Map}</td><td>the same, in the order of the bytes of elements or
 *     keys</td></tr>
 * <tr><td>{@code Optional}</td><td>1 byte, 0 or 1, then the value</td></tr>
 * <tr><td>records of these</td><td>one component after the other; each may be null</td></tr>
 * <tr><td>classes of properties</td><td>as records</td></tr>
 * <tr><td>sealed interfaces of these</td><td>which class it is, then the value</td></tr>
 * </table>
 *
 * <p>Bytes that are not a value's make {@code decode} throw a {@link RuntimeException} that says
 * what is wrong with them.
 */
public final class Codecs {
  static final Map<Class<?>, Codec<?>> BUILT_IN =
      Map.ofEntries(
          Map.entry(String.class, StringCodec.INSTANCE),
          Map.entry(byte[].class, BytesCodec.INSTANCE),
          Map.entry(Integer.class, FixedCodec.INT),
          Map.entry(int.class, FixedCodec.INT),
          Map.entry(Long.class, FixedCodec.LONG),
          Map.entry(long.class, FixedCodec.LONG),
          Map.entry(Short.class, FixedCodec.SHORT),
          Map.entry(short.class, FixedCodec.SHORT),
          Map.entry(Byte.class, FixedCodec.BYTE),
          Map.entry(byte.class, FixedCodec.BYTE),
          Map.entry(Double.class, FixedCodec.DOUBLE),
          Map.entry(double.class, FixedCodec.DOUBLE),
          Map.entry(Float.class, FixedCodec.FLOAT),
          Map.entry(float.class, FixedCodec.FLOAT),
          Map.entry(Boolean.class, FixedCodec.BOOLEAN),
          Map.entry(boolean.class, FixedCodec.BOOLEAN),
          Map.entry(Character.class, FixedCodec.CHAR),
          Map.entry(char.class, FixedCodec.CHAR),
          Map.entry(UUID.class, FixedCodec.UUID),
          Map.entry(Instant.class, FixedCodec.INSTANT),
          Map.entry(LocalDate.class, FixedCodec.DATE),
          Map.entry(LocalTime.class, FixedCodec.TIME),
          Map.entry(LocalDateTime.class, FixedCodec.DATE_TIME),
          Map.entry(OffsetDateTime.class, FixedCodec.OFFSET_DATE_TIME),
          Map.entry(Duration.class, FixedCodec.DURATION),
          Map.entry(Year.class, FixedCodec.YEAR),
          Map.entry(ZonedDateTime.class, VariableCodec.ZONED_DATE_TIME),
          Map.entry(Period.class, VariableCodec.PERIOD),
          Map.entry(URI.class, VariableCodec.URI),
          Map.entry(BigInteger.class, VariableCodec.BIG_INTEGER),
          Map.entry(BigDecimal.class, VariableCodec.BIG_DECIMAL),
          Map.entry(int[].class, PrimitiveArrayCodec.INTS),
          Map.entry(long[].class, PrimitiveArrayCodec.LONGS),
          Map.entry(short[].class, PrimitiveArrayCodec.SHORTS),
          Map.entry(char[].class, PrimitiveArrayCodec.CHARS),
          Map.entry(double[].class, PrimitiveArrayCodec.DOUBLES),
          Map.entry(float[].class, PrimitiveArrayCodec.FLOATS),
          Map.entry(boolean[].class, PrimitiveArrayCodec.BOOLEANS));

  private Codecs() {}

  /**
   * The built-in codec of a type of those in the table. Of a class like {@code List} the types of
   * the elements are not known: there are {@link #list}, {@link #set}, {@link #map} and {@link
   * #optional} for these. In components of records they are known.
   *
   * @param type a primitive type stands for its wrapper
   * @throws CodecException if there is none
   */
  @SuppressWarnings("unchecked") // the finder's codecs are those of the types
  public static <T> Codec<T> of(Class<T> type) {
    Codec<?> codec = new CodecFinder().find(type);
    if (codec == null) {
      throw missing(type, "");
    }
    return (Codec<T>) codec;
  }

  /**
   * A codec of the same values for a cache that began with another format of their type: the bytes
   * are that format's, so that programs with the class that it is of read them, and this codec
   * reads what those write. {@code Headrace.cache} does this by itself.
   *
   * <p>The records in a value may differ from those of the format in their components: components
   * may be added, removed and reordered, but not change their types. Those that were removed are
   * written as null, empty or 0. Those that were added are written behind the others, by name, if
   * they are not their defaults ({@link ComposedCodec#withDefault}); who does not know them leaves
   * them out. So a program that changes a value drops the components that its class does not have.
   *
   * @param format the format of the cache
   * @return the codec itself if the formats are equal
   * @throws CodecException if values of the format cannot be read or written; the message names the
   *     component and both formats
   */
  @SuppressWarnings("unchecked") // a codec of the same values
  public static <T> Codec<T> evolved(Codec<T> codec, String format) {
    return (Codec<T>) Evolution.of(codec, StoredFormat.of(format), "");
  }

  /** Strings as UTF-8. */
  public static Codec<String> string() {
    return StringCodec.INSTANCE;
  }

  /**
   * Values of a format as the bytes that they are, for programs without the classes of a cache's
   * keys and values. Nothing is checked.
   *
   * @param format the format of the codec with which others open the cache, as {@code
   *     Headrace.caches} tells it
   */
  public static FormatCodec<byte[]> encoded(String format) {
    return new EncodedCodec(format);
  }

  /** Byte arrays as they are. */
  public static Codec<byte[]> bytes() {
    return BytesCodec.INSTANCE;
  }

  /**
   * Enum constants by their names, so that constants may be added and put in another order. A
   * constant that is renamed or removed cannot be read any more.
   */
  public static <E extends Enum<E>> Codec<E> enumeration(Class<E> type) {
    return new EnumCodec<>(type);
  }

  /**
   * Records, one component after the other; components of reference types may be null. A record
   * with other components, or with others' names, is another format, but {@link #evolved} reads it.
   *
   * <p>Components have their built-in codecs, unless {@link ComposedCodec#with} gives them others.
   * A component of type {@code List}, {@code Map} or an array may have null elements or values if
   * their type has an annotation {@code Nullable}, such as in {@code List<@Nullable String>}.
   *
   * @throws CodecException if the record contains itself, or is not accessible
   */
  public static <R extends Record> ComposedCodec<R> record(Class<R> type) {
    return RecordCodec.of(Composition.ofRecord(type), new CodecFinder());
  }

  /**
   * Objects of a class with one public constructor, each parameter of which has a getter with its
   * name and type: {@code name()}, {@code getName()} or, of a boolean, {@code isName()}. The bytes
   * and the format are those of a record with these components. {@link #of} finds such classes,
   * too, if their parameters' names are known.
   *
   * @param names the names of the parameters; none if the class was compiled with {@code
   *     -parameters}
   * @throws CodecException if the class is not of this kind, contains itself, or is not accessible
   */
  public static <T> ComposedCodec<T> properties(Class<T> type, String... names) {
    Composition composition = Composition.ofClass(type, List.of(names));
    if (composition == null) {
      throw new CodecException(
          type.getName()
              + " is not made of properties: it needs one public constructor, each parameter of"
              + " which has a getter with its name and type; and either -parameters for the"
              + " compiler or the names of all parameters here");
    }
    return RecordCodec.of(composition, new CodecFinder());
  }

  /** Lists, without null. Those that are read cannot be changed. */
  public static <E> Codec<List<E>> list(Codec<E> element) {
    return new ListCodec<>(Element.of(element, false));
  }

  /**
   * Sets, without null. Those that are read cannot be changed, and have their elements in the order
   * of their bytes.
   *
   * <p>What is read is put into a hash table. Elements with the same {@code hashCode}, such as
   * records that somebody has chosen so, make reading take the square of their number, unless they
   * are {@link Comparable}, as strings and numbers are. A record whose values strangers write
   * should implement it.
   */
  public static <E> Codec<Set<E>> set(Codec<E> element) {
    return new SetCodec<>(element);
  }

  /**
   * Maps, without null. Those that are read cannot be changed, and have their keys in the order of
   * their bytes. What {@link #set} says of elements with the same {@code hashCode} is true of keys.
   */
  public static <K, V> Codec<Map<K, V>> map(Codec<K> key, Codec<V> value) {
    return new MapCodec<>(key, Element.of(value, false));
  }

  /** Values that may be absent. */
  public static <T> Codec<Optional<T>> optional(Codec<T> value) {
    return new OptionalCodec<>(value);
  }

  /**
   * Arrays of objects, without null, with the bytes of lists. Arrays have no equality, so they are
   * no keys.
   *
   * @param type the class of the elements
   */
  public static <E> Codec<E[]> array(Class<E> type, Codec<E> element) {
    return new ArrayCodec<>(type, Element.of(element, false));
  }

  static CodecException missing(Type type, String where) {
    return new CodecException(missingText(type, where));
  }

  static String missingText(Type type, String where) {
    return "There is no built-in codec for "
        + type.getTypeName()
        + where
        + ". There are codecs for String, numbers, Boolean, Character, UUID, URI, BigDecimal, dates"
        + " and times, enums; List, Set, Map, Optional and arrays of these; records, classes of"
        + " properties and sealed interfaces. For anything else write a Codec, and open the cache"
        + " with CacheSettings; or give a component a codec with"
        + " Codecs.record(type).with(name, codec)";
  }
}
