package dev.headrace.api.codec;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.error.CodecException;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records and classes of properties, component after component. One without a fixed size carries
 * its length. It and each of a reference type start with a byte that says whether the component is
 * there (1) or null (0).
 */
final class RecordCodec<R> implements ComposedCodec<R> {
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
   */
  private record Component(
      Composition.Property property, @Nullable Element element, @Nullable String missing) {

    static Component of(Composition.Property property, Codec<?> codec) {
      boolean primitive = property.type().isPrimitive();
      Element element = primitive ? Element.ofPrimitive(codec) : Element.of(codec, true);
      return new Component(property, element, null);
    }

    Element present() {
      return requireNonNull(element);
    }

    boolean primitive() {
      return property.type().isPrimitive();
    }

    @Override
    public String toString() {
      // An Integer has a byte more than an int; of what is never primitive nothing need be said.
      boolean boxed = present().sizeBytes() > 0 && present().nullable();
      return property.name() + " " + present().codec().format() + (boxed ? "?" : "");
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
      return new Component(property, null, e.getMessage());
    }
    String of = type.isRecord() ? "record " : "class ";
    String where = ", the type of component \"" + property.name() + "\" of " + of + type.getName();
    return new Component(property, null, Codecs.missingText(property.declared().getType(), where));
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
    Component[] changed = components.clone();
    for (int i = 0; i < changed.length; i++) {
      Composition.Property property = changed[i].property();
      if (property.name().equals(component)) {
        changed[i] = Component.of(property, codec);
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
    return new CodecLayout.Composite(composition.type().getSimpleName(), layouts);
  }

  @Override
  public void encode(R value, ByteOutput out) {
    checked();
    if (value.getClass() != composition.type()) {
      throw new ClassCastException(
          value.getClass().getName() + " is not " + composition.type().getName());
    }
    for (Component component : components) {
      component.present().write(get(component, value), out, format);
    }
  }

  @Override
  @SuppressWarnings("unchecked") // the constructor is R's
  public R decode(ByteInput in) {
    checked();
    @Nullable Object[] parts = new @Nullable Object[components.length];
    for (int i = 0; i < parts.length; i++) {
      Component component = components[i];
      Element element = component.present();
      if (!element.nullable() || isPresent(component, in)) {
        parts[i] = element.readPresent(in);
      } else if (component.primitive()) {
        throw new IllegalArgumentException(
            "Component \"%s\" of \"%s\" is never null"
                .formatted(component.property().name(), format));
      }
    }
    in.requireNothing(format);
    return (R) make(parts);
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
