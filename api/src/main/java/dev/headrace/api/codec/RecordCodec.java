package dev.headrace.api.codec;

import dev.headrace.api.error.CodecException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records, component after component. A component of a reference type starts with a byte that says
 * whether it is there (1) or null (0); one without a fixed size carries its length.
 *
 * <p>This is the one place that uses reflection: a record's components are only known at run time.
 * They are looked up once, when the codec is made, and become method handles; only the class that
 * the user gave is looked at, never a name that came in bytes.
 */
final class RecordCodec<R> implements Codec<R> {
  private final String format;
  private final String name;
  private final List<Component> components;
  private final MethodHandle constructor;

  /** A component: how to get it out of a record, and its codec. */
  private record Component(String name, Class<?> type, MethodHandle accessor, Codec<Object> codec) {

    boolean primitive() {
      return type.isPrimitive();
    }

    void encode(Object value, ByteOutput out) {
      if (codec instanceof FixedCodec) {
        codec.encode(value, out);
      } else {
        out.writeSized(codec, value);
      }
    }

    Object decode(ByteInput in) {
      return codec instanceof FixedCodec<?> fixed
          ? in.readWithin(codec, fixed.sizeBytes())
          : in.readSized(codec);
    }

    @Override
    public String toString() {
      // An Integer has a byte more than an int; of what is never primitive nothing need be said.
      boolean boxed = codec instanceof FixedCodec && !primitive();
      return name + " " + codec.format() + (boxed ? "?" : "");
    }
  }

  /**
   * Looks at a record class.
   *
   * @param enclosing the records whose components led here, outermost first
   * @throws CodecException if a component has no built-in codec, or the class is not accessible
   */
  RecordCodec(Class<R> type, List<Class<?>> enclosing) {
    if (enclosing.contains(type)) {
      throw new CodecException(
          "There is no built-in codec for record "
              + type.getName()
              + ", because it contains itself: write a Codec for it and open the cache with"
              + " CacheSettings");
    }
    List<Class<?>> path = new ArrayList<>(enclosing);
    path.add(type);
    RecordComponent[] recordComponents = type.getRecordComponents();
    try {
      List<Component> found = new ArrayList<>();
      for (RecordComponent component : recordComponents) {
        found.add(component(component, path));
      }
      components = List.copyOf(found);
      constructor = constructor(type, recordComponents);
    } catch (InaccessibleObjectException | IllegalAccessException | NoSuchMethodException e) {
      throw new CodecException(
          "Record "
              + type.getName()
              + " is not accessible: make it public in an exported package, or open its package to"
              + " the module of dev.headrace.api",
          e);
    }
    name = type.getSimpleName();
    format =
        components.stream()
            .map(Component::toString)
            .collect(Collectors.joining(", ", "record " + type.getSimpleName() + "(", ")"));
  }

  @SuppressWarnings("unchecked") // the accessor returns what the codec takes
  private static Component component(RecordComponent component, List<Class<?>> path)
      throws IllegalAccessException {
    Class<?> type = component.getType();
    Codec<?> codec = Codecs.find(type, path);
    if (codec == null) {
      throw Codecs.missing(
          type,
          ", the type of component \""
              + component.getName()
              + "\" of record "
              + path.get(path.size() - 1).getName());
    }
    Method accessor = component.getAccessor();
    accessor.setAccessible(true);
    MethodHandle handle =
        MethodHandles.lookup()
            .unreflect(accessor)
            .asType(MethodType.methodType(Object.class, Object.class));
    return new Component(component.getName(), type, handle, (Codec<Object>) codec);
  }

  private static MethodHandle constructor(Class<?> type, RecordComponent[] components)
      throws NoSuchMethodException, IllegalAccessException {
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    Constructor<?> canonical = type.getDeclaredConstructor(types);
    canonical.setAccessible(true);
    return MethodHandles.lookup()
        .unreflectConstructor(canonical)
        .asSpreader(Object[].class, types.length)
        .asType(MethodType.methodType(Object.class, Object[].class));
  }

  @Override
  public String format() {
    return format;
  }

  CodecLayout layout() {
    return new CodecLayout.Composite(
        name,
        components.stream()
            .map(
                each ->
                    new CodecLayout.Component(
                        each.name(), !each.primitive(), each.type(), each.codec()))
            .toList());
  }

  @Override
  public void encode(R value, ByteOutput out) {
    for (int i = 0; i < components.size(); i++) {
      Component component = components.get(i);
      Object part = get(component, value);
      if (!component.primitive()) {
        out.writeByte(part == null ? 0 : 1);
      }
      if (part != null) {
        component.encode(part, out);
      }
    }
  }

  @Override
  @SuppressWarnings("unchecked") // the constructor is R's
  public R decode(ByteInput in) {
    @Nullable Object[] parts = new @Nullable Object[components.size()];
    for (int i = 0; i < parts.length; i++) {
      Component component = components.get(i);
      if (component.primitive() || isPresent(component, in)) {
        parts[i] = component.decode(in);
      }
    }
    if (in.remaining() != 0) {
      throw new IllegalArgumentException(
          in.remaining() + " bytes are left over after a value of format \"" + format + "\"");
    }
    return (R) make(parts);
  }

  private boolean isPresent(Component component, ByteInput in) {
    byte presence = in.readByte();
    if (presence != 0 && presence != 1) {
      throw new IllegalArgumentException(
          "Component \""
              + component.name()
              + "\" of \""
              + format
              + "\" should start with 0 (null) or 1, but there is "
              + presence);
    }
    return presence == 1;
  }

  private static @Nullable Object get(Component component, Object value) {
    try {
      return (@Nullable Object) component.accessor().invokeExact(value);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  private Object make(@Nullable Object[] parts) {
    try {
      return (Object) constructor.invokeExact(parts);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  private static RuntimeException unchecked(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
  }
}
