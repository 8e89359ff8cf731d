package dev.headrace.cluster.cache;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.FaultScope;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tries a codec with the first object of a cache: what cannot be read again, or is another object
 * then, is refused before anything is stored. Later objects are not tried. Thread-safe.
 */
final class CodecTrial<T> {
  private final Codec<T> codec;
  private final String what;
  private final String cache;
  private final boolean sameBytes;
  private volatile boolean passed;

  private CodecTrial(Codec<T> codec, String what, String cache, boolean sameBytes) {
    this.codec = codec;
    this.what = what;
    this.cache = cache;
    this.sameBytes = sameBytes;
  }

  /** Of the keys of a cache: equal ones must have equal bytes. */
  static <K> CodecTrial<K> ofKeys(Codec<K> codec, String cache) {
    return new CodecTrial<>(codec, "key", cache, true);
  }

  /** Of the values of a cache. */
  static <V> CodecTrial<V> ofValues(Codec<V> codec, String cache) {
    return new CodecTrial<>(codec, "value", cache, false);
  }

  /** Whether an object has passed, so that no other need be tried. */
  boolean passed() {
    return passed;
  }

  /**
   * Tries an object, unless one has passed before.
   *
   * @throws CodecException if the bytes cannot be decoded, or what comes out is not equal
   */
  void check(T object, byte[] encoded) {
    if (passed) {
      return;
    }
    T read;
    T copy;
    byte[] again;
    try {
      read = codec.decode(ByteInput.of(encoded));
      copy = codec.decode(ByteInput.of(encoded));
      again = sameBytes ? encode(read) : encoded;
    } catch (RuntimeException e) {
      throw refusal("cannot be read again", e);
    }
    // Where two copies of the same bytes are not equal, equality says nothing about content.
    if (codec.keepsEquality() && !isSame(object, read) && isSame(read, copy)) {
      throw refusal("is not equal to what was written when it is read again", null);
    }
    if (!Arrays.equals(encoded, again)) {
      throw refusal("has other bytes when it is written again, so that nobody would find it", null);
    }
    passed = true;
  }

  private byte[] encode(T object) {
    ByteOutput out = new ByteOutput();
    codec.encode(object, out);
    return out.toByteArray();
  }

  private CodecException refusal(String why, @Nullable RuntimeException cause) {
    String message =
        "The first "
            + what
            + " of cache \""
            + cache
            + "\" "
            + why
            + (cause == null ? "" : " (" + cause + ")")
            + "; nothing was written: fix the codec of "
            + codec.format();
    FaultScope scope = FaultScope.ofCache(cache);
    return cause == null
        ? new CodecException(message, scope)
        : new CodecException(message, scope, cause);
  }

  /**
   * Whether two objects are equal, as far as their classes can tell. Arrays are compared by their
   * elements, wherever they lie; a class that has no {@code equals} of its own says nothing.
   */
  private static boolean isSame(@Nullable Object one, @Nullable Object other) {
    if (Objects.deepEquals(one, other)) {
      return true;
    } else if (one == null || other == null) {
      return false;
    } else if (one instanceof Object[] ours && other instanceof Object[] theirs) {
      return isSame(Arrays.asList(ours), Arrays.asList(theirs));
    } else if (one instanceof List<?> ours && other instanceof List<?> theirs) {
      return areSame(ours, theirs);
    } else if (one instanceof Optional<?> ours && other instanceof Optional<?> theirs) {
      return isSame(ours.orElse(null), theirs.orElse(null));
    } else if (one instanceof Record && one.getClass() == other.getClass()) {
      return areSame(components(one), components(other));
    }
    return !comparesContent(one);
  }

  private static boolean areSame(List<?> ours, List<?> theirs) {
    if (ours.size() != theirs.size()) {
      return false;
    }
    Iterator<?> others = theirs.iterator();
    for (Object each : ours) {
      if (!isSame(each, others.next())) {
        return false;
      }
    }
    return true;
  }

  private static List<@Nullable Object> components(Object object) {
    RecordComponent[] components = object.getClass().getRecordComponents();
    @Nullable Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      try {
        components[i].getAccessor().setAccessible(true);
        values[i] = components[i].getAccessor().invoke(object);
      } catch (ReflectiveOperationException | RuntimeException e) {
        return List.of(); // one that lets nobody look tells as little as a class without equals
      }
    }
    return Arrays.asList(values);
  }

  /** Whether objects of a class are equal by what they hold, arrays in them included. */
  private static boolean comparesContent(Object object) {
    if (object instanceof Iterable<?> || object instanceof Map<?, ?>) {
      return false; // arrays may lie in it
    }
    try {
      Class<?> by = object.getClass().getMethod("equals", Object.class).getDeclaringClass();
      return by != Object.class;
    } catch (NoSuchMethodException e) {
      return false; // every class has it, but a native image may not know
    }
  }
}
