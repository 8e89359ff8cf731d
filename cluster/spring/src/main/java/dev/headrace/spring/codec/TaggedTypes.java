package dev.headrace.spring.codec;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
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
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Types that untyped caches write as a number and the bytes of the built-in codec. A number stays
 * that of its type for ever: further types come at the end of the list. Stateless.
 */
final class TaggedTypes {
  /** Nothing: a value that is null. */
  static final int NULL = 0;

  /** An object, serialized. */
  static final int SERIALIZED = 1;

  /** A constant of an enum: the name of its class, and its own. */
  static final int CONSTANT = 2;

  /** Spring's key of several parameters: these, one after the other. */
  static final int SIMPLE_KEY = 3;

  /** A list: its elements, one after the other. */
  static final int LIST = 4;

  /** An array of objects: its elements, one after the other. */
  static final int ARRAY = 5;

  private static final int FIRST = 16;

  private static final List<Class<?>> TYPES =
      List.of(
          String.class,
          byte[].class,
          Integer.class,
          Long.class,
          Short.class,
          Byte.class,
          Double.class,
          Float.class,
          Boolean.class,
          Character.class,
          UUID.class,
          Instant.class,
          LocalDate.class,
          LocalTime.class,
          LocalDateTime.class,
          OffsetDateTime.class,
          ZonedDateTime.class,
          Duration.class,
          Period.class,
          Year.class,
          URI.class,
          BigInteger.class,
          BigDecimal.class,
          int[].class,
          long[].class,
          short[].class,
          char[].class,
          double[].class,
          float[].class,
          boolean[].class);

  private static final List<TaggedType> BY_TAG =
      IntStream.range(0, TYPES.size()).mapToObj(TaggedTypes::tagged).toList();

  private static final Map<Class<?>, TaggedType> BY_CLASS =
      BY_TAG.stream().collect(Collectors.toMap(TaggedType::type, Function.identity()));

  private TaggedTypes() {}

  /** A type, its number and its codec. */
  private record TaggedType(int tag, Class<?> type, Codec<Object> codec) {}

  @SuppressWarnings("unchecked") // is only handed objects of the type
  private static TaggedType tagged(int index) {
    Class<?> type = TYPES.get(index);
    return new TaggedType(FIRST + index, type, (Codec<Object>) Codecs.of(type));
  }

  /**
   * Writes an object of one of the types.
   *
   * @return whether it is of one; nothing is written otherwise
   */
  static boolean write(Object value, ByteOutput out) {
    TaggedType type = BY_CLASS.get(value.getClass());
    if (type == null) {
      return false;
    }
    out.writeByte(type.tag());
    type.codec().encode(value, out);
    return true;
  }

  /**
   * Reads what {@link #write} has written, behind its number.
   *
   * @return null if no type has this number
   */
  static @Nullable Object read(int tag, ByteInput in) {
    int index = tag - FIRST;
    return index >= 0 && index < BY_TAG.size() ? BY_TAG.get(index).codec().decode(in) : null;
  }
}
