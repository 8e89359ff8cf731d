package dev.headrace.api.codec;

import dev.headrace.api.error.CodecException;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the built-in codecs of types as they are declared.
 *
 * @param enclosing the records, classes and interfaces whose parts led here, outermost first; none
 *     may contain itself, so that codecs are never deeper than the declarations of their types
 */
record CodecFinder(List<Class<?>> enclosing) {
  private static final String NULLABLE = "Nullable";

  /** Finds codecs of types that are no parts of others. */
  CodecFinder() {
    this(List.of());
  }

  /**
   * A finder for the parts of a type.
   *
   * @throws CodecException if the type contains itself
   */
  CodecFinder within(Class<?> type) {
    if (enclosing.contains(type)) {
      throw new CodecException(
          "There is no built-in codec for "
              + (type.isRecord() ? "record " : "")
              + type.getName()
              + ", because it contains itself: write a Codec for it and open the cache with"
              + " CacheSettings");
    }
    List<Class<?>> path = new ArrayList<>(enclosing);
    path.add(type);
    return new CodecFinder(List.copyOf(path));
  }

  /** The codec of a class, or null. */
  @Nullable Codec<?> find(Class<?> type) {
    Codec<?> builtIn = Codecs.BUILT_IN.get(type);
    if (builtIn != null) {
      return builtIn;
    } else if (type.isEnum()) {
      return enumeration(type);
    } else if (type.isArray()) {
      return array(type.getComponentType(), find(type.getComponentType()), false);
    } else if (type.isSealed() && Modifier.isAbstract(type.getModifiers())) {
      return alternatives(type);
    } else if (type.isRecord()) {
      return RecordCodec.of(Composition.ofRecord(type), this).checked();
    }
    Composition properties = Composition.ofClass(type, List.of());
    return properties == null ? null : RecordCodec.of(properties, this).checked();
  }

  /** The codec of a declared type, or null. */
  @Nullable Codec<?> find(AnnotatedType declared) {
    if (declared instanceof AnnotatedWildcardType wildcard) {
      AnnotatedType[] bounds = wildcard.getAnnotatedUpperBounds();
      return bounds.length == 1 && wildcard.getAnnotatedLowerBounds().length == 0
          ? find(bounds[0])
          : null;
    } else if (declared instanceof AnnotatedParameterizedType generic) {
      return generic(rawClass(generic.getType()), generic.getAnnotatedActualTypeArguments());
    } else if (declared instanceof AnnotatedArrayType array) {
      return array(array);
    }
    return declared.getType() instanceof Class<?> type ? find(type) : null;
  }

  private @Nullable Codec<?> generic(@Nullable Class<?> raw, AnnotatedType[] arguments) {
    if (raw != List.class && raw != Set.class && raw != Map.class && raw != Optional.class) {
      return null;
    }
    Codec<?> first = find(arguments[0]);
    Codec<?> last = arguments.length == 1 ? first : find(arguments[1]);
    if (first == null || last == null) {
      return null;
    } else if (raw == List.class) {
      return new ListCodec<>(Element.of(first, isNullable(arguments[0])));
    } else if (raw == Set.class) {
      return new SetCodec<>(first);
    } else if (raw == Map.class) {
      return new MapCodec<>(first, Element.of(last, isNullable(arguments[1])));
    }
    return new OptionalCodec<>(first);
  }

  private @Nullable Codec<?> array(AnnotatedArrayType declared) {
    AnnotatedType element = declared.getAnnotatedGenericComponentType();
    Class<?> type = rawClass(element.getType());
    Codec<?> builtIn = type == null ? null : Codecs.BUILT_IN.get(type.arrayType());
    if (builtIn != null || type == null) {
      return builtIn;
    }
    return array(type, find(element), isNullable(element));
  }

  @SuppressWarnings("unchecked") // a class and the codec of its values
  private static @Nullable Codec<?> array(
      Class<?> type, @Nullable Codec<?> codec, boolean nullable) {
    return codec == null
        ? null
        : new ArrayCodec<>((Class<Object>) type, Element.of(codec, nullable));
  }

  private static @Nullable Class<?> rawClass(Type type) {
    if (type instanceof ParameterizedType generic) {
      return rawClass(generic.getRawType());
    }
    return type instanceof Class<?> simple ? simple : null;
  }

  /** Whether an annotation of any library says so. */
  private static boolean isNullable(AnnotatedType type) {
    return Arrays.stream(type.getAnnotations())
        .anyMatch(each -> each.annotationType().getSimpleName().equals(NULLABLE));
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // the type is an enum, but has no name here
  private static Codec<?> enumeration(Class type) {
    return new EnumCodec(type);
  }

  /** The codec of a sealed interface, or of a sealed class that is abstract. */
  private Codec<?> alternatives(Class<?> type) {
    List<Class<?>> types = new ArrayList<>();
    List<Codec<Object>> codecs = new ArrayList<>();
    CodecFinder within = within(type);
    addAlternatives(type, within, types, codecs);
    return new SealedCodec<>(type.getSimpleName(), types, codecs);
  }

  private static void addAlternatives(
      Class<?> type, CodecFinder within, List<Class<?>> types, List<Codec<Object>> codecs) {
    for (Class<?> permitted : type.getPermittedSubclasses()) {
      boolean sealedFurther = permitted.isSealed() && Modifier.isAbstract(permitted.getModifiers());
      if (sealedFurther && !permitted.isEnum()) {
        addAlternatives(permitted, within, types, codecs);
        continue;
      }
      boolean closed = permitted.isEnum() || Modifier.isFinal(permitted.getModifiers());
      Codec<?> codec = closed ? within.find(permitted) : null;
      if (codec == null) {
        throw Codecs.missing(permitted, ", which " + type.getName() + " permits");
      }
      if (!types.contains(permitted)) {
        types.add(permitted);
        codecs.add(Element.of(codec, false).codec());
      }
    }
  }
}
