package dev.headrace.jcache.codec;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Objects of any type: one byte that tells the type, and then the bytes of Headrace's own codec for
 * an everyday type, or Java's serialization for any other. So caches of all types have one format,
 * a cache without types holds what one with types holds, and equal strings and numbers have equal
 * bytes, as keys must.
 *
 * <p>Serialized keys are equal only if their bytes are: those of a class that holds a hash set, for
 * instance, may differ.
 */
public final class ObjectCodec implements Codec<Object> {

  /** What all keys and values of JCache have. */
  public static final String FORMAT = "jcache";

  private static final int SERIALIZED = 0;

  /** The byte that tells a type is its place in this list, from 1 on: only append. */
  private static final List<Class<?>> EVERYDAY =
      List.of(
          String.class,
          Integer.class,
          Long.class,
          Short.class,
          Byte.class,
          Double.class,
          Float.class,
          Boolean.class,
          Character.class,
          byte[].class,
          UUID.class,
          BigInteger.class,
          BigDecimal.class,
          Instant.class,
          LocalDate.class,
          LocalDateTime.class,
          URI.class);

  private static final List<Codec<?>> CODECS = EVERYDAY.stream().map(ObjectCodec::codec).toList();

  private static final Map<Class<?>, Integer> TAGS = tags();

  private final ObjectFilter filter;

  /**
   * A codec.
   *
   * @param filter which classes may be read, and who loads them
   */
  public ObjectCodec(ObjectFilter filter) {
    this.filter = filter;
  }

  private static Codec<?> codec(Class<?> type) {
    return type == byte[].class ? Codecs.bytes() : Codecs.of(type);
  }

  private static Map<Class<?>, Integer> tags() {
    Map<Class<?>, Integer> tags = new HashMap<>();
    for (int i = 0; i < EVERYDAY.size(); i++) {
      tags.put(EVERYDAY.get(i), i + 1);
    }
    return Map.copyOf(tags);
  }

  /** The bytes of an object, by which two keys are the same. */
  public static byte[] bytes(Object value) {
    ByteOutput out = new ByteOutput();
    write(value, out);
    return out.toByteArray();
  }

  /** Whether two values have the same bytes. */
  public static boolean sameBytes(Object one, Object other) {
    ByteOutput first = new ByteOutput();
    ByteOutput second = new ByteOutput();
    write(one, first);
    write(other, second);
    return Arrays.equals(first.array(), 0, first.size(), second.array(), 0, second.size());
  }

  @Override
  public String format() {
    return FORMAT;
  }

  @Override
  public void encode(Object value, ByteOutput out) {
    write(value, out);
  }

  @SuppressWarnings("unchecked") // The codec is that of the value's class.
  private static void write(Object value, ByteOutput out) {
    Integer tag = TAGS.get(value.getClass());
    if (tag == null) {
      out.writeByte(SERIALIZED);
      serialize(value, out);
    } else {
      out.writeByte(tag);
      ((Codec<Object>) CODECS.get(tag - 1)).encode(value, out);
    }
  }

  @Override
  public boolean keepsEquality() {
    return false; // a class may leave fields out when it is serialized
  }

  @Override
  public Object decode(ByteInput in) {
    int tag = in.readByte();
    if (tag == SERIALIZED) {
      return deserialize(in.readBytes(in.remaining()));
    }
    if (tag < 0 || tag > CODECS.size()) {
      throw new IllegalArgumentException(
          "An object has the unknown type " + tag + ": it was written by a newer version");
    }
    return CODECS.get(tag - 1).decode(in);
  }

  private static void serialize(Object value, ByteOutput out) {
    try (ObjectOutputStream objects = new ObjectOutputStream(new Appending(out))) {
      objects.writeObject(value);
    } catch (NotSerializableException e) {
      throw new IllegalArgumentException(
          "An object of "
              + value.getClass().getName()
              + " cannot be stored by value, since "
              + e.getMessage()
              + " does not implement java.io.Serializable",
          e);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "An object of " + value.getClass().getName() + " cannot be serialized: " + e, e);
    }
  }

  private Object deserialize(byte[] bytes) {
    try (ObjectInputStream objects = new FilteredInput(bytes, filter)) {
      Object value = objects.readObject();
      if (value == null) {
        throw new IllegalArgumentException("The bytes are a serialized null");
      }
      return value;
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(
          "The class "
              + e.getMessage()
              + " of a serialized object is not known to the class loader of the CacheManager",
          e);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "The bytes are no serialized object that may be read: " + e + filter.rejected(), e);
    }
  }

  /** Reads objects with the classes of the manager's class loader, as far as they are allowed. */
  private static final class FilteredInput extends ObjectInputStream {
    private final ObjectFilter filter;

    FilteredInput(byte[] bytes, ObjectFilter filter) throws IOException {
      super(new ByteArrayInputStream(bytes));
      this.filter = filter;
      setObjectInputFilter(filter.of(bytes.length));
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass description)
        throws IOException, ClassNotFoundException {
      String name = description.getName();
      Class<?> primitive = primitive(name);
      if (primitive != null) {
        return primitive;
      }
      if (!filter.allows(name)) {
        throw new InvalidClassException(name, "the class is REJECTED");
      }
      return Class.forName(name, false, filter.loader());
    }

    @Override
    protected Class<?> resolveProxyClass(String[] interfaces) throws IOException {
      throw new InvalidClassException("REJECTED: dynamic proxies are not read");
    }

    private static @Nullable Class<?> primitive(String name) {
      return switch (name) {
        case "int" -> int.class;
        case "long" -> long.class;
        case "short" -> short.class;
        case "byte" -> byte.class;
        case "double" -> double.class;
        case "float" -> float.class;
        case "boolean" -> boolean.class;
        case "char" -> char.class;
        case "void" -> void.class;
        default -> null;
      };
    }
  }

  /** Appends to the bytes of an entry. */
  private static final class Appending extends OutputStream {
    private final ByteOutput out;

    Appending(ByteOutput out) {
      this.out = out;
    }

    @Override
    public void write(int value) {
      out.writeByte(value);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
      out.writeBytes(source, offset, length);
    }
  }
}
