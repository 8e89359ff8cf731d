package dev.headrace.spring.codec;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The classes whose objects may be serialized, and made from bytes again: those of some packages,
 * and of the JDK a list of collections, numbers and times. Immutable.
 */
public final class AllowedClasses {
  /** Hashing sets of sets may take time exponential in how deep they are nested. */
  private static final int MAX_DEPTH = 24;

  private static final Pattern PACKAGE =
      Pattern.compile("[a-zA-Z_$][\\w$]*(\\.[a-zA-Z_$][\\w$]*)*");
  private static final Set<String> NOT_YOURS = Set.of("java", "javax", "jdk", "sun", "com.sun");

  /**
   * Beside those of {@code java.time}. Serialization asks for the classes of fields, too, and for
   * those of what an object is replaced by.
   */
  private static final Set<String> OF_JDK =
      Set.of(
          "java.lang.Boolean",
          "java.lang.Byte",
          "java.lang.Character",
          "java.lang.Double",
          "java.lang.Enum",
          "java.lang.Float",
          "java.lang.Integer",
          "java.lang.Long",
          "java.lang.Number",
          "java.lang.Object",
          "java.lang.Record",
          "java.lang.Short",
          "java.lang.String",
          "java.math.BigDecimal",
          "java.math.BigInteger",
          "java.net.URI",
          "java.util.ArrayDeque",
          "java.util.ArrayList",
          "java.util.Arrays$ArrayList",
          "java.util.CollSer",
          "java.util.Collections$EmptyList",
          "java.util.Collections$EmptyMap",
          "java.util.Collections$EmptySet",
          "java.util.Collections$SingletonList",
          "java.util.Collections$SingletonMap",
          "java.util.Collections$SingletonSet",
          "java.util.Collections$UnmodifiableCollection",
          "java.util.Collections$UnmodifiableList",
          "java.util.Collections$UnmodifiableMap",
          "java.util.Collections$UnmodifiableRandomAccessList",
          "java.util.Collections$UnmodifiableSet",
          "java.util.Currency",
          "java.util.Date",
          "java.util.HashMap",
          "java.util.HashSet",
          "java.util.ImmutableCollections$List12",
          "java.util.ImmutableCollections$ListN",
          "java.util.ImmutableCollections$Map1",
          "java.util.ImmutableCollections$MapN",
          "java.util.ImmutableCollections$Set12",
          "java.util.ImmutableCollections$SetN",
          "java.util.LinkedHashMap",
          "java.util.LinkedHashSet",
          "java.util.LinkedList",
          "java.util.Locale",
          "java.util.Map$Entry",
          "java.util.TreeMap",
          "java.util.TreeSet",
          "java.util.UUID");

  private final List<String> prefixes;
  private final ClassLoader loader;

  /**
   * Allows packages with all that is below them.
   *
   * @param packages names such as {@code com.example.shop}; none for nothing
   * @param loader has their classes
   * @throws IllegalArgumentException if one is no name of a package, or the JDK's
   */
  public AllowedClasses(List<String> packages, ClassLoader loader) {
    for (String name : packages) {
      boolean foreign =
          NOT_YOURS.stream().anyMatch(jdk -> name.equals(jdk) || name.startsWith(jdk + "."));
      if (foreign || !PACKAGE.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "\""
                + name
                + "\" cannot be allowed for serialization: name packages of your own, without"
                + " wildcards, such as com.example.shop");
      }
    }
    this.prefixes = packages.stream().map(name -> name + ".").toList();
    this.loader = loader;
  }

  /** Whether the objects of a class may be serialized as a whole, rather than inside another. */
  boolean allowsWhole(Class<?> type) {
    return !prefixes.isEmpty() && allows(type.getName());
  }

  /** Whether a class is in one of the packages. */
  boolean isNamed(String className) {
    return prefixes.stream().anyMatch(className::startsWith);
  }

  private boolean allows(String className) {
    String element = className.substring(className.lastIndexOf('[') + 1);
    if (element.length() < className.length()) { // an array: of a primitive type, or as Lname;
      if (element.length() == 1) {
        return true;
      }
      element = element.substring(1, element.length() - 1);
    }
    return OF_JDK.contains(element) || element.startsWith("java.time.") || isNamed(element);
  }

  /**
   * A class in one of the packages.
   *
   * @throws ClassCastException if it is in none of them
   */
  Class<?> load(String className) {
    if (!isNamed(className)) {
      throw new ClassCastException(notAllowed(className));
    }
    try {
      return Class.forName(className, false, loader);
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException("There is no class " + className + " here", e);
    }
  }

  /** The bytes of an object, all parts of which are allowed. */
  byte[] serialize(Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try (ObjectOutputStream out = new CheckedOutput(bytes)) {
      out.writeObject(value);
    }
    return bytes.toByteArray();
  }

  /** The object of some bytes. */
  Object deserialize(byte[] bytes) throws IOException, ClassNotFoundException {
    try (ObjectInputStream in = new CheckedInput(bytes)) {
      return in.readObject();
    }
  }

  /** What to do if a class is not allowed. */
  static String notAllowed(String className) {
    return className
        + " is not among the classes that may be serialized: name its package in"
        + " headrace.serialization.packages";
  }

  /** Refuses objects of other classes. */
  private final class CheckedOutput extends ObjectOutputStream {
    CheckedOutput(OutputStream out) throws IOException {
      super(out);
    }

    @Override
    protected void annotateClass(Class<?> type) throws IOException {
      if (!allows(type.getName())) {
        throw new InvalidClassException(notAllowed(type.getName()));
      }
    }

    @Override
    protected void annotateProxyClass(Class<?> type) throws IOException {
      throw new InvalidClassException(notAllowed("A proxy"));
    }
  }

  /** Refuses bytes that name other classes, before it looks for these. */
  private final class CheckedInput extends ObjectInputStream {
    CheckedInput(byte[] bytes) throws IOException {
      super(new ByteArrayInputStream(bytes));
      // A hash table has up to twice as many places as entries, and at least some.
      long places = 64 + 4L * bytes.length;
      setObjectInputFilter(
          part ->
              part.depth() > MAX_DEPTH
                      || part.arrayLength() > places
                      || !isAllowed(part.serialClass())
                  ? ObjectInputFilter.Status.REJECTED
                  : ObjectInputFilter.Status.UNDECIDED);
    }

    private boolean isAllowed(@Nullable Class<?> type) {
      return type == null || type.isPrimitive() || allows(type.getName());
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass described)
        throws IOException, ClassNotFoundException {
      if (!allows(described.getName())) {
        throw new InvalidClassException(notAllowed(described.getName()));
      }
      return Class.forName(described.getName(), false, loader);
    }

    @Override
    protected Class<?> resolveProxyClass(String[] interfaces) throws IOException {
      throw new InvalidClassException(notAllowed("A proxy"));
    }
  }
}
