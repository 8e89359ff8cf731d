package dev.headrace.spring.codec;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.support.NullValue;

/**
 * Values of a cache whose value type is not named: null, the types of {@link TaggedTypes}, and
 * objects of allowed classes, which are serialized. Any other value is refused when it is written,
 * and bytes that name another class when they are read.
 */
public final class UntypedValueCodec implements Codec<Object> {
  private final String cache;
  private final AllowedClasses allowed;

  /** The codec of a cache. */
  public UntypedValueCodec(String cache, AllowedClasses allowed) {
    this.cache = cache;
    this.allowed = allowed;
  }

  @Override
  public String format() {
    return "spring-value";
  }

  @Override
  public void encode(Object value, ByteOutput out) {
    if (value instanceof NullValue) {
      out.writeByte(TaggedTypes.NULL);
    } else if (!TaggedTypes.write(value, out)) {
      out.writeByte(TaggedTypes.SERIALIZED);
      out.writeBytes(serialized(value));
    }
  }

  private byte[] serialized(Object value) {
    String type = value.getClass().getName();
    if (!allowed.allowsWhole(value.getClass())) {
      throw refused(type, null);
    }
    try {
      return allowed.serialize(value);
    } catch (IOException e) {
      throw refused(type, e);
    }
  }

  private ClassCastException refused(String type, @Nullable IOException cause) {
    ClassCastException refused =
        new ClassCastException(
            "Cache \""
                + cache
                + "\" cannot hold a "
                + type
                + (cause == null ? "" : " (" + cause.getMessage() + ")")
                + ": name its type in headrace.caches."
                + cache
                + ".value-type, or, if it and all its parts are Serializable, their packages in"
                + " headrace.serialization.packages");
    if (cause != null) {
      refused.initCause(cause);
    }
    return refused;
  }

  @Override
  public boolean keepsEquality() {
    return false; // a class may leave fields out when it is serialized
  }

  @Override
  public Object decode(ByteInput in) {
    int tag = in.readByte();
    if (tag == TaggedTypes.NULL) {
      return NullValue.INSTANCE;
    }
    if (tag == TaggedTypes.SERIALIZED) {
      try {
        return allowed.deserialize(in.readBytes(in.remaining()));
      } catch (IOException | ClassNotFoundException e) {
        throw new IllegalArgumentException("The object cannot be read: " + e.getMessage(), e);
      }
    }
    Object value = TaggedTypes.read(tag, in);
    if (value == null) {
      throw new IllegalArgumentException("No type of value has the number " + tag);
    }
    return value;
  }
}
