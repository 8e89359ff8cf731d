package dev.headrace.spring.codec;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import java.util.Optional;
import org.springframework.cache.support.NullValue;
import org.springframework.util.ClassUtils;

/**
 * Keys or values of a type that a property names, in the format of the built-in codec. Null is
 * written as an {@code Optional} that is empty, if it may be.
 *
 * @param <T> the type
 */
public final class ConfiguredCodec<T> implements Codec<Object> {
  private final Class<T> type;
  private final String property;
  private final Codec<T> codec;
  private final Codec<Optional<T>> optional;
  private final boolean nulls;

  private ConfiguredCodec(Class<T> type, String property, boolean nulls) {
    this.type = type;
    this.property = property;
    this.codec = Codecs.of(type);
    this.optional = Codecs.optional(codec);
    this.nulls = nulls;
  }

  /**
   * The codec of a type.
   *
   * @param type a primitive type stands for its wrapper
   * @param property names the type
   * @param nulls whether there may be null
   * @throws dev.headrace.api.error.CodecException if there is no built-in codec for the type
   */
  public static ConfiguredCodec<?> of(Class<?> type, String property, boolean nulls) {
    return new ConfiguredCodec<>(ClassUtils.resolvePrimitiveIfNecessary(type), property, nulls);
  }

  @Override
  public String format() {
    return nulls ? optional.format() : codec.format();
  }

  @Override
  public void encode(Object value, ByteOutput out) {
    if (nulls && value instanceof NullValue) {
      optional.encode(Optional.empty(), out);
      return;
    }
    if (!type.isInstance(value)) {
      throw new ClassCastException(
          property
              + " is "
              + type.getName()
              + ", but it was given a "
              + value.getClass().getName()
              + ": change the property, or the method that is cached");
    }
    T present = type.cast(value);
    if (nulls) {
      optional.encode(Optional.of(present), out);
    } else {
      codec.encode(present, out);
    }
  }

  @Override
  public Object decode(ByteInput in) {
    if (!nulls) {
      return codec.decode(in);
    }
    Optional<T> value = optional.decode(in);
    return value.isPresent() ? value.get() : NullValue.INSTANCE;
  }
}
