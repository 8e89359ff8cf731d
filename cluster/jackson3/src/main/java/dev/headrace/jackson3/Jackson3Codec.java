package dev.headrace.jackson3;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.CodecException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.util.ClassUtil;

/**
 * Values of a type as Jackson 3 writes them: JSON, or what else the mapper is made for, such as
 * CBOR. Immutable.
 *
 * <p>The format is that of the mapper and the simple name of the type, such as {@code json Order}
 * or {@code json List(Order)}: caches that are opened with another type or with CBOR are refused,
 * but not those whose type has got or lost properties. Which of these are read is up to the mapper
 * and to the annotations of the type, the same in all programs.
 *
 * <p>Maps are written in the order of their keys, so that equal ones have equal bytes. Sets and
 * properties are written in the order that they have: a type with sets that are not sorted is no
 * key, and conditional writes, which compare bytes, may miss it. Maps whose keys are not {@link
 * Comparable} are refused unless they are sorted.
 *
 * <p>A mapper with default typing, or a type with {@code JsonTypeInfo.Id.CLASS}, lets bytes name
 * the class to be made: give such a mapper a {@code PolymorphicTypeValidator} that allows few.
 *
 * @param <T> the type
 */
public final class Jackson3Codec<T> implements Codec<T> {
  private final JavaType type;
  private final Class<?> boxed;
  private final ObjectWriter writer;
  private final ObjectReader reader;
  private final String format;
  private final boolean keepsEquality;

  private Jackson3Codec(
      JavaType type,
      ObjectWriter writer,
      ObjectReader reader,
      String format,
      boolean keepsEquality) {
    this.type = type;
    this.boxed =
        type.isPrimitive() ? ClassUtil.wrapperType(type.getRawClass()) : type.getRawClass();
    this.writer = writer;
    this.reader = reader;
    this.format = format;
    this.keepsEquality = keepsEquality;
  }

  /**
   * A codec of a class that has no type parameters.
   *
   * @param mapper as it is now; later changes of its settings make no difference
   */
  public static <T> Jackson3Codec<T> of(ObjectMapper mapper, Class<T> type) {
    return of(mapper, mapper.constructType(requireNonNull(type, "type")));
  }

  /**
   * A codec of a type with type parameters: {@code new TypeReference<List<Order>>() {}}.
   *
   * @param mapper as it is now; later changes of its settings make no difference
   */
  public static <T> Jackson3Codec<T> of(ObjectMapper mapper, TypeReference<T> type) {
    return of(mapper, mapper.constructType(requireNonNull(type, "type")));
  }

  /**
   * A codec of a type that is only known at run time.
   *
   * @param mapper as it is now; later changes of its settings make no difference
   * @param <T> what the type stands for, which nothing checks
   */
  public static <T> Jackson3Codec<T> of(ObjectMapper mapper, JavaType type) {
    String kind = mapper.tokenStreamFactory().getFormatName();
    String named = kind == null ? mapper.tokenStreamFactory().getClass().getSimpleName() : kind;
    return new Jackson3Codec<>(
        type,
        mapper
            .writerFor(type)
            .with(
                SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS,
                SerializationFeature.FAIL_ON_ORDER_MAP_BY_INCOMPARABLE_KEY),
        mapper.readerFor(type).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS),
        named.toLowerCase(Locale.ROOT) + " " + nameOf(type),
        // A tree that was read has its numbers in the smallest classes that hold them.
        !JsonNode.class.isAssignableFrom(type.getRawClass()));
  }

  /** The simple name of a type, with those of its parameters in parentheses, as formats have it. */
  private static String nameOf(JavaType type) {
    if (type.isArrayType()) {
      return "array(" + nameOf(type.getContentType()) + ")";
    }
    List<String> parameters = new ArrayList<>();
    for (int i = 0; i < type.containedTypeCount(); i++) {
      parameters.add(nameOf(type.containedType(i)));
    }
    String name = type.getRawClass().getSimpleName();
    return parameters.isEmpty() ? name : name + "(" + String.join(", ", parameters) + ")";
  }

  /**
   * The same codec for a type that leaves parts out on purpose, such as by {@code @JsonIgnore}: its
   * first value is not refused for being another one when it is read again.
   */
  public Jackson3Codec<T> withoutEquality() {
    return new Jackson3Codec<>(type, writer, reader, format, false);
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public boolean keepsEquality() {
    return keepsEquality;
  }

  @Override
  public void encode(T value, ByteOutput out) {
    if (!boxed.isInstance(value)) {
      throw new ClassCastException(value.getClass().getName() + " is not " + boxed.getName());
    }
    try {
      writer.writeValue(out.asStream(), value);
    } catch (JacksonException e) {
      throw failure("write", e);
    }
  }

  @Override
  public T decode(ByteInput in) {
    @Nullable T value;
    try {
      value = reader.readValue(in.readBytes(in.remaining()));
    } catch (JacksonException e) {
      throw failure("read", e);
    }
    if (value == null) {
      throw new CodecException(
          "Jackson made null of a value of format \"" + format + "\", which a cache does not hold");
    }
    return value;
  }

  /** Jackson's message names the property, and never has the value's bytes. */
  private CodecException failure(String what, JacksonException cause) {
    return new CodecException(
        "Jackson could not %s a value of format \"%s\": %s"
            .formatted(what, format, cause.getMessage()),
        cause);
  }
}
