package dev.headrace.api.codec;

import dev.headrace.api.error.CodecException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.infinispan.commons.configuration.ClassAllowList;
import org.infinispan.commons.marshall.Marshaller;
import org.jspecify.annotations.Nullable;

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
 * <tr><td>enums</td><td>the constant's name</td></tr>
 * <tr><td>records of these</td><td>one component after the other; each may be null</td></tr>
 * </table>
 *
 * <p>Bytes that are not a value's make {@code decode} throw a {@link RuntimeException} that says
 * what is wrong with them.
 */
public final class Codecs {
  private static final Map<Class<?>, Codec<?>> BUILT_IN =
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
          Map.entry(Instant.class, FixedCodec.INSTANT));

  private Codecs() {}

  /**
   * The built-in codec of a type: a string, byte array, number, boolean, character, UUID, instant,
   * enum, or a record of these.
   *
   * @param type a primitive type stands for its wrapper
   * @throws CodecException if there is none
   */
  @SuppressWarnings("unchecked") // the map's and find's codecs are those of their keys
  public static <T> Codec<T> of(Class<T> type) {
    Codec<?> codec = find(type, List.of());
    if (codec == null) {
      throw missing(type, "");
    }
    return (Codec<T>) codec;
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
   * Records whose components have built-in codecs; components of reference types may be null. A
   * record with other components, or with others' names, is another format.
   *
   * @throws CodecException if a component has none, or the record is not accessible
   */
  public static <R extends Record> Codec<R> record(Class<R> type) {
    return new RecordCodec<>(type, List.of());
  }

  /**
   * A bridge from an Infinispan {@link Marshaller}. Its bytes are stored and travel as they are,
   * and are decoded only where a value is asked for. The classes named here are added to the
   * marshaller's allow list; one that has such a list, like {@code JavaSerializationMarshaller},
   * refuses bytes that name any other.
   *
   * <p>If the codec is for keys, the marshaller must make equal bytes of equal keys.
   *
   * @param marshaller used by many threads at the same time
   * @param type what is stored
   * @param parts further classes that occur inside it
   */
  public static <T> Codec<T> marshaller(Marshaller marshaller, Class<T> type, Class<?>... parts) {
    List<String> allowed =
        Stream.concat(Stream.of(type), Stream.of(parts)).map(Class::getName).toList();
    marshaller.initialize(new ClassAllowList(allowed, List.of(), type.getClassLoader()));
    return new MarshallerCodec<>(marshaller, type);
  }

  /**
   * The built-in codec of a type, or null.
   *
   * @param enclosing the records whose components led here, outermost first
   */
  static @Nullable Codec<?> find(Class<?> type, List<Class<?>> enclosing) {
    Codec<?> builtIn = BUILT_IN.get(type);
    if (builtIn != null) {
      return builtIn;
    }
    if (type.isEnum()) {
      return enumerationOf(type);
    }
    return type.isRecord() ? new RecordCodec<>(type, enclosing) : null;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // the type is an enum, but has no name here
  private static Codec<?> enumerationOf(Class type) {
    return new EnumCodec(type);
  }

  static CodecException missing(Class<?> type, String where) {
    return new CodecException(
        "There is no built-in codec for "
            + type.getTypeName()
            + where
            + ". There are codecs for String, byte[], numbers, Boolean, Character, UUID, Instant,"
            + " enums and records of these; for anything else write a Codec, or wrap a Marshaller"
            + " with Codecs.marshaller, and open the cache with CacheSettings");
  }
}
