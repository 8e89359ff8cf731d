package dev.headrace.jcache.codec;

import java.io.ObjectInputFilter;
import java.io.ObjectInputFilter.FilterInfo;
import java.io.ObjectInputFilter.Status;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which classes serialized objects may have: value classes of the JDK, exceptions of JCache, those
 * in the packages of a cache's key and value types, and what a pattern allows. A process that can
 * write into the cluster decides which objects its readers make, so everything else is refused.
 *
 * <p>The name of a class is checked first, so that one that is not allowed is not even loaded, and
 * then the class itself.
 *
 * <p>Objects may be {@link #MAX_DEPTH} deep, and neither may arrays be longer nor objects be more
 * than the bytes they come in can fill. A filter of the whole process ({@code jdk.serialFilter})
 * still refuses what it refuses.
 */
public final class ObjectFilter {

  /**
   * How deep objects may contain each other. The hash of a set is computed from all that is in it,
   * again at each level: where each set is in two others, the work doubles with every level.
   */
  static final int MAX_DEPTH = 24;

  /** A hash table may be longer than what is in it, and an empty one has some room. */
  private static final int MIN_ARRAY = 1 << 10;

  private static final Set<String> VALUE_PACKAGES =
      Set.of(
          "java.lang",
          "java.math",
          "java.sql",
          "java.time",
          "java.time.chrono",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          // Exceptions of loaders, writers and processors
          "javax.cache",
          "javax.cache.integration",
          "javax.cache.processor");

  /** Of these, arrays are allowed: what a list of values of several types is made of. */
  private static final Set<String> JDK_INTERFACES =
      Set.of(
          "java.io.Serializable",
          "java.lang.constant.Constable",
          "java.lang.constant.ConstantDesc",
          "java.time.temporal.Temporal",
          "java.time.temporal.TemporalAccessor",
          "java.time.temporal.TemporalAdjuster",
          "java.time.temporal.TemporalAmount");

  /** The primitive types as the names of arrays have them. */
  private static final String PRIMITIVES = "ZBCSIJFD";

  private final ClassLoader loader;
  private final Set<String> packages;
  private final @Nullable ObjectInputFilter allowed;
  private final NamePattern allowedNames;

  /**
   * A filter.
   *
   * @param loader loads the classes
   * @param types the cache's types; classes in their packages are allowed
   * @param pattern more classes that are allowed, in the form of {@code jdk.serialFilter}; null for
   *     none
   * @throws IllegalArgumentException if the pattern is none
   */
  public ObjectFilter(ClassLoader loader, Set<Class<?>> types, @Nullable String pattern) {
    this.loader = loader;
    this.packages =
        Stream.concat(
                VALUE_PACKAGES.stream(),
                types.stream().filter(type -> type != Object.class).map(Class::getPackageName))
            .collect(Collectors.toUnmodifiableSet());
    this.allowed = pattern == null ? null : ObjectInputFilter.Config.createFilter(pattern);
    this.allowedNames = new NamePattern(pattern == null ? "" : pattern);
  }

  ClassLoader loader() {
    return loader;
  }

  /**
   * Whether a class may be loaded.
   *
   * @param name as {@link Class#getName} gives it, but not of a primitive type
   */
  public boolean allows(String name) {
    int dimensions = 0;
    while (name.startsWith("[", dimensions)) {
      dimensions++;
    }
    String component = name.substring(dimensions);
    if (dimensions > 0) {
      if (component.length() == 1) {
        return PRIMITIVES.contains(component);
      }
      if (!component.startsWith("L") || !component.endsWith(";")) {
        return false;
      }
      component = component.substring(1, component.length() - 1);
    }
    Status named = allowedNames.of(component);
    if (named != Status.UNDECIDED) {
      return named == Status.ALLOWED;
    }
    return packages.contains(component.substring(0, Math.max(0, component.lastIndexOf('.'))))
        || (dimensions > 0 && JDK_INTERFACES.contains(component));
  }

  /** What to do if an object was refused. */
  String rejected() {
    return ". Allowed are value classes of the JDK, classes in the packages of the cache's key and"
        + " value types, and what the property headrace.serialFilter of the CacheManager names";
  }

  /** The filter of objects that come in so many bytes. */
  ObjectInputFilter of(int lengthBytes) {
    ObjectInputFilter ofProcess = ObjectInputFilter.Config.getSerialFilter();
    long longestArray = MIN_ARRAY + 4L * lengthBytes;
    return info -> {
      if (info.depth() > MAX_DEPTH
          || info.references() > lengthBytes
          || info.arrayLength() > longestArray) {
        return Status.REJECTED;
      }
      if (ofProcess != null && ofProcess.checkInput(info) == Status.REJECTED) {
        return Status.REJECTED;
      }
      return check(info);
    };
  }

  private Status check(FilterInfo info) {
    Class<?> type = info.serialClass();
    if (type == null) {
      return Status.UNDECIDED;
    }
    Status named = allowed == null ? Status.UNDECIDED : allowed.checkInput(info);
    if (named != Status.UNDECIDED) {
      return named;
    }
    boolean array = type.isArray();
    while (type.isArray()) {
      type = type.getComponentType();
    }
    boolean known =
        type.isPrimitive()
            || (array && type.isInterface())
            || packages.contains(type.getPackageName());
    return known ? Status.ALLOWED : Status.REJECTED;
  }
}
