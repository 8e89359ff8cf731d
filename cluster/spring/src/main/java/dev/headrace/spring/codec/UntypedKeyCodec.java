package dev.headrace.spring.codec;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.SimpleKey;

/**
 * Keys of a cache whose key type is not named: the types of {@link TaggedTypes}, constants of
 * enums, lists and arrays of these, and Spring's key of several parameters. Equal keys have equal
 * bytes, which cannot be said of serialized objects, so any other key is refused.
 *
 * <p>The cache abstraction never reads keys. Where a key of an enum is read, its class must be
 * allowed.
 */
public final class UntypedKeyCodec implements Codec<Object> {
  private final String cache;
  private final AllowedClasses allowed;
  private final PartCodec parts = new PartCodec();

  /** The codec of a cache. */
  public UntypedKeyCodec(String cache, AllowedClasses allowed) {
    this.cache = cache;
    this.allowed = allowed;
  }

  @Override
  public String format() {
    return "spring-key";
  }

  @Override
  public void encode(Object key, ByteOutput out) {
    write(key, out);
  }

  private void write(@Nullable Object key, ByteOutput out) {
    if (key == null) {
      out.writeByte(TaggedTypes.NULL);
    } else if (key instanceof SimpleKey simple) {
      write(TaggedTypes.SIMPLE_KEY, SimpleKeyParts.of(simple), out);
    } else if (key instanceof Enum<?> constant) {
      out.writeByte(TaggedTypes.CONSTANT);
      out.writeUtf8(constant.getDeclaringClass().getName() + " " + constant.name());
    } else if (key instanceof List<?> list) {
      write(TaggedTypes.LIST, list, out);
    } else if (key instanceof Object[] array) {
      write(TaggedTypes.ARRAY, Arrays.asList(array), out);
    } else if (!TaggedTypes.write(key, out)) {
      throw new ClassCastException(
          "Cache \""
              + cache
              + "\" cannot have a "
              + key.getClass().getName()
              + " as a key, or in one: name its type in headrace.caches."
              + cache
              + ".key-type, or build the key of strings and numbers, such as key = \"#order.id\"");
    }
  }

  private void write(int tag, List<?> elements, ByteOutput out) {
    out.writeByte(tag);
    out.writeVarInt(elements.size());
    for (Object element : elements) {
      out.writeSized(parts, new Part(element));
    }
  }

  @Override
  public Object decode(ByteInput in) {
    Object key = read(in);
    if (key == null) {
      throw new IllegalArgumentException("A key is null");
    }
    return key;
  }

  private @Nullable Object read(ByteInput in) {
    int tag = in.readByte();
    return switch (tag) {
      case TaggedTypes.NULL -> null;
      case TaggedTypes.CONSTANT -> constant(in.readUtf8(in.remaining()));
      case TaggedTypes.SIMPLE_KEY -> new SimpleKey(elements(in).toArray());
      case TaggedTypes.LIST -> Collections.unmodifiableList(elements(in));
      case TaggedTypes.ARRAY -> elements(in).toArray();
      default -> {
        Object key = TaggedTypes.read(tag, in);
        if (key == null) {
          throw new IllegalArgumentException("No type of key has the number " + tag);
        }
        yield key;
      }
    };
  }

  private List<@Nullable Object> elements(ByteInput in) {
    int count = in.readVarInt();
    List<@Nullable Object> elements = new ArrayList<>(Math.min(count & 0xFF, in.remaining()));
    for (int i = 0; i < count; i++) {
      elements.add(in.readSized(parts).value());
    }
    return elements;
  }

  private Object constant(String text) {
    int end = text.indexOf(' ');
    Class<?> type = allowed.load(text.substring(0, Math.max(0, end)));
    Object[] constants = type.getEnumConstants();
    if (constants != null) {
      for (Object each : constants) {
        if (((Enum<?>) each).name().equals(text.substring(end + 1))) {
          return each;
        }
      }
    }
    throw new IllegalArgumentException("There is no constant " + text + " here");
  }

  /** An element of a key, which may be null. */
  private record Part(@Nullable Object value) {}

  /** Elements behind their lengths. */
  private final class PartCodec implements Codec<Part> {
    @Override
    public String format() {
      return "spring-key-part";
    }

    @Override
    public void encode(Part part, ByteOutput out) {
      write(part.value(), out);
    }

    @Override
    public Part decode(ByteInput in) {
      return new Part(read(in));
    }
  }
}
