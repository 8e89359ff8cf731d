package dev.headrace.api.codec;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.error.CodecException;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records and classes of properties, component after component. One without a fixed size carries
 * its length. It and each of a reference type start with a byte that says whether the component is
 * there (1) or null (0).
 */
final class RecordCodec<R> implements ComposedCodec<R> {
  private static final Map<Class<?>, Object> EMPTY =
      Map.of(
          List.class, List.of(),
          Set.class, Set.of(),
          Map.class, Map.of(),
          Optional.class, Optional.empty());

  private final Composition composition;
  private final Component[] components;
  private final MethodHandle constructor;

  /** Why it cannot be used; null if it can. */
  private final @Nullable String missing;

  private final String format;

  /**
   * A component, and how it is written.
   *
   * @param element null as long as there is no codec
   * @param missing why there is none; null if there is one
   * @param absent what it is in values that were written without it; null unless one was given
   */
  private record Component(
      Composition.Property property,
      @Nullable Element element,
      @Nullable String missing,
      @Nullable Object absent) {

    static Component of(Composition.Property property, Codec<?> codec) {
      boolean primitive = property.type().isPrimitive();
      Element element = primitive ? Element.ofPrimitive(codec) : Element.of(codec, true);
      return new Component(property, element, null, null);
    }

    Component withAbsent(Object value) {
      return new Component(property, element, missing, value);
    }

    Element present() {
      return requireNonNull(element);
    }

    boolean primitive() {
      return property.type().isPrimitive();
    }

    String format() {
      // An Integer has a byte more than an int; of what is never primitive nothing need be said.
      boolean boxed = present().sizeBytes() > 0 && present().nullable();
      return present().codec().format() + (boxed ? "?" : "");
    }

    @Override
    public String toString() {
      return property.name() + " " + format();
    }
  }

  private RecordCodec(Composition composition, Component[] components) {
    this.composition = composition;
    this.components = components;
    this.constructor = composition.constructor();
    this.missing =
        Arrays.stream(components)
            .map(Component::missing)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    this.format = missing == null ? format(composition, components) : "";
  }

  /**
   * A codec with the built-in codecs of all components that have one.
   *
   * @throws CodecException if it contains itself
   */
  static <R> RecordCodec<R> of(Composition composition, CodecFinder finder) {
    CodecFinder within = finder.within(composition.type());
    List<Component> components = new ArrayList<>();
    for (Composition.Property property : composition.properties()) {
      components.add(component(composition.type(), property, within));
    }
    return new RecordCodec<>(composition, components.toArray(Component[]::new));
  }

  private static Component component(
      Class<?> type, Composition.Property property, CodecFinder within) {
    try {
      Codec<?> codec = within.find(property.declared());
      if (codec != null) {
        return Component.of(property, codec);
      }
    } catch (CodecException e) { // of a part of the component, which may get another codec
      return new Component(property, null, e.getMessage(), null);
    }
    String of = type.isRecord() ? "record " : "class ";
    String where = ", the type of component \"" + property.name() + "\" of " + of + type.getName();
    String text = Codecs.missingText(property.declared().getType(), where);
    return new Component(property, null, text, null);
  }

  private static String format(Composition composition, Component[] components) {
    return Arrays.stream(components)
        .map(Component::toString)
        .collect(
            Collectors.joining(", ", "record " + composition.type().getSimpleName() + "(", ")"));
  }

  @Override
  public ComposedCodec<R> with(String component, Codec<?> codec) {
    requireNonNull(codec, "codec");
    return with(component, before -> Component.of(before.property(), codec));
  }

  @Override
  public ComposedCodec<R> withDefault(String component, Object value) {
    requireNonNull(value, "value");
    RecordCodec<R> changed = with(component, before -> before.withAbsent(value));
    for (Component each : changed.components) {
      if (each.property().name().equals(component) && each.missing() == null) {
        each.present().codec().encode(value, new ByteOutput()); // fails here rather than later
      }
    }
    return changed;
  }

  private RecordCodec<R> with(String component, UnaryOperator<Component> change) {
    Component[] changed = components.clone();
    for (int i = 0; i < changed.length; i++) {
      if (changed[i].property().name().equals(component)) {
        changed[i] = change.apply(changed[i]);
        return new RecordCodec<>(composition, changed);
      }
    }
    throw new IllegalArgumentException(
        "There is no component \"%s\" in %s; there are %s"
            .formatted(
                component,
                composition.type().getName(),
                composition.properties().stream()
                    .map(Composition.Property::name)
                    .collect(Collectors.joining(", "))));
  }

  /**
   * This codec, if all components have one.
   *
   * @throws CodecException if not
   */
  RecordCodec<R> checked() {
    if (missing != null) {
      throw new CodecException(missing);
    }
    return this;
  }

  @Override
  public String format() {
    checked();
    return format;
  }

  CodecLayout layout() {
    checked();
    List<CodecLayout.Component> layouts = new ArrayList<>();
    for (Component each : components) {
      layouts.add(
          new CodecLayout.Component(
              each.property().name(),
              each.present().nullable(),
              each.property().type(),
              each.present().codec()));
    }
    return new CodecLayout.Composite(composition.type().getSimpleName(), layouts, List.of());
  }

  /** The number of its components. */
  int count() {
    return components.length;
  }

  /** The name of a component. */
  String name(int index) {
    return components[index].property().name();
  }

  /** The class of a component. */
  Class<?> type(int index) {
    return components[index].property().type();
  }

  /** How a component is written. */
  Element element(int index) {
    return components[index].present();
  }

  /** The format of a component, with a question mark if it has a fixed size and may be null. */
  String formatOf(int index) {
    return components[index].format();
  }

  /**
   * What a component is in values that were written without it: what was given, else 0 or false, an
   * empty collection or {@link Optional}, or null.
   */
  @Nullable Object absent(int index) {
    Component component = components[index];
    Class<?> type = component.property().type();
    if (component.absent() != null) {
      return component.absent();
    } else if (component.primitive()) {
      return Array.get(Array.newInstance(type, 1), 0);
    } else if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 0);
    }
    return EMPTY.get(type);
  }

  /** Checks that a value is of this class and no other. */
  void requireOwn(R value) {
    if (value.getClass() != composition.type()) {
      throw new ClassCastException(
          value.getClass().getName() + " is not " + composition.type().getName());
    }
  }

  @Override
  public void encode(R value, ByteOutput out) {
    checked();
    requireOwn(value);
    for (Component component : components) {
      component.present().write(get(component, value), out, format);
    }
  }

  @Override
  public R decode(ByteInput in) {
    checked();
    @Nullable Object[] parts = new @Nullable Object[components.length];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = read(i, components[i].present(), in);
    }
    if (in.remaining() > 0) {
      AddedComponents.skip(in, format);
    }
    return make(parts);
  }

  /**
   * Reads a component.
   *
   * @param element how it was written
   */
  @Nullable Object read(int index, Element element, ByteInput in) {
    Component component = components[index];
    if (!element.nullable() || isPresent(component, in)) {
      return element.readPresent(in);
    } else if (component.primitive()) {
      throw new IllegalArgumentException(
          "Component \"%s\" of \"%s\" is never null"
              .formatted(component.property().name(), format));
    }
    return null;
  }

  /** Gets a component out of a value. */
  @Nullable Object get(int index, R value) {
    return get(components[index], value);
  }

  private boolean isPresent(Component component, ByteInput in) {
    byte presence = in.readByte();
    if (presence != 0 && presence != 1) {
      throw new IllegalArgumentException(
          "Component \""
              + component.property().name()
              + "\" of \""
              + format
              + "\" should start with 0 (null) or 1, but there is "
              + presence);
    }
    return presence == 1;
  }

  private static @Nullable Object get(Component component, Object value) {
    try {
      return (@Nullable Object) component.property().accessor().invokeExact(value);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Makes a value of its components. */
  @SuppressWarnings("unchecked") // the constructor is R's
  R make(@Nullable Object[] parts) {
    try {
      return (R) (Object) constructor.invokeExact(parts);
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
