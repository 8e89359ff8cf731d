package dev.headrace.api.codec;

import dev.headrace.api.error.CodecException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a record, or a class that is made of properties, consists of.
 *
 * <p>This is the one place that uses reflection: components are only known at run time. They are
 * looked up once, when a codec is made, and become method handles; only classes that the user has
 * named or declared are looked at, never a name that came in bytes.
 *
 * @param constructor takes an array of objects, in the order of the properties
 */
record Composition(Class<?> type, List<Property> properties, MethodHandle constructor) {

  /**
   * A component of a record, or a parameter of the constructor.
   *
   * @param declared its type with annotations
   * @param accessor gets it out of an object, as an object
   */
  record Property(String name, AnnotatedType declared, Class<?> type, MethodHandle accessor) {}

  /** Makes one of a record. */
  static Composition ofRecord(Class<?> type) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      List<Property> properties = new ArrayList<>();
      for (RecordComponent component : components) {
        properties.add(
            new Property(
                component.getName(),
                component.getAnnotatedType(),
                component.getType(),
                accessor(component.getAccessor())));
      }
      return new Composition(
          type, List.copyOf(properties), constructor(type.getDeclaredConstructor(types)));
    } catch (InaccessibleObjectException | IllegalAccessException | NoSuchMethodException e) {
      throw inaccessible("Record ", type, e);
    }
  }

  /**
   * Makes one of a class with one public constructor, each parameter of which has a getter with its
   * name and type: {@code name()}, {@code getName()} or, of a boolean, {@code isName()}.
   *
   * @param names the parameters' names; none for those that the compiler has kept
   * @return null if the class is not of this kind
   */
  static @Nullable Composition ofClass(Class<?> type, List<String> names) {
    boolean plain =
        !type.isInterface()
            && !type.isArray()
            && !type.isPrimitive()
            && !type.isEnum()
            && !Modifier.isAbstract(type.getModifiers())
            && !isOfTheJdk(type);
    Constructor<?>[] constructors = plain ? type.getConstructors() : new Constructor<?>[0];
    if (constructors.length != 1 || constructors[0].getParameterCount() == 0) {
      return null;
    }
    Parameter[] parameters = constructors[0].getParameters();
    if (!names.isEmpty() && names.size() != parameters.length) {
      return null;
    }
    try {
      List<Property> properties = new ArrayList<>();
      for (int i = 0; i < parameters.length; i++) {
        Parameter parameter = parameters[i];
        String name = names.isEmpty() ? nameOf(parameter) : names.get(i);
        Method getter = name == null ? null : getter(type, name, parameter.getType());
        if (name == null || getter == null) {
          return null;
        }
        properties.add(
            new Property(
                name, parameter.getAnnotatedType(), parameter.getType(), accessor(getter)));
      }
      return new Composition(type, List.copyOf(properties), constructor(constructors[0]));
    } catch (InaccessibleObjectException | IllegalAccessException e) {
      throw inaccessible("Class ", type, e);
    }
  }

  private static boolean isOfTheJdk(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return loader == null || loader == ClassLoader.getPlatformClassLoader();
  }

  private static @Nullable String nameOf(Parameter parameter) {
    return parameter.isNamePresent() ? parameter.getName() : null;
  }

  private static @Nullable Method getter(Class<?> type, String name, Class<?> result) {
    String capital = Character.toUpperCase(name.charAt(0)) + name.substring(1);
    List<String> candidates =
        result == boolean.class || result == Boolean.class
            ? List.of(name, "get" + capital, "is" + capital)
            : List.of(name, "get" + capital);
    for (Method method : type.getMethods()) {
      if (method.getParameterCount() == 0
          && method.getReturnType() == result
          && !Modifier.isStatic(method.getModifiers())
          && candidates.contains(method.getName())) {
        return method;
      }
    }
    return null;
  }

  private static MethodHandle accessor(Method method) throws IllegalAccessException {
    return MethodHandles.lookup()
        .unreflect(accessible(method))
        .asType(MethodType.methodType(Object.class, Object.class));
  }

  private static MethodHandle constructor(Constructor<?> constructor)
      throws IllegalAccessException {
    return MethodHandles.lookup()
        .unreflectConstructor(accessible(constructor))
        .asSpreader(Object[].class, constructor.getParameterCount())
        .asType(MethodType.methodType(Object.class, Object[].class));
  }

  private static <E extends Executable> E accessible(E member) {
    member.setAccessible(true);
    return member;
  }

  private static CodecException inaccessible(String kind, Class<?> type, Exception cause) {
    return new CodecException(
        kind
            + type.getName()
            + " is not accessible: make it public in an exported package, or open its package to"
            + " the module of dev.headrace.api",
        cause);
  }
}
