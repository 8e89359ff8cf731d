package dev.headrace.spring.cache;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codec;
import dev.headrace.spring.codec.AllowedClasses;
import dev.headrace.spring.codec.ConfiguredCodec;
import dev.headrace.spring.codec.UntypedKeyCodec;
import dev.headrace.spring.codec.UntypedValueCodec;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How caches are to be opened. Immutable.
 *
 * @param declared by their names, caches that are opened as they are, and hold no null
 * @param options by their names, caches of which something is known
 * @param defaultLifespan how long entries of other caches are present
 * @param allowed the classes whose objects caches without a type may hold
 */
public record CachePlan(
    Map<String, CacheSettings<?, ?>> declared,
    Map<String, CacheOptions> options,
    Duration defaultLifespan,
    AllowedClasses allowed) {

  /**
   * What is known of a cache.
   *
   * @param keyType null for keys of any type that {@link UntypedKeyCodec} takes
   * @param valueType null for values of any type that {@link UntypedValueCodec} takes
   * @param lifespan how long its entries are present; null for the default
   * @param nullValues whether it holds null
   */
  public record CacheOptions(
      @Nullable Class<?> keyType,
      @Nullable Class<?> valueType,
      @Nullable Duration lifespan,
      boolean nullValues) {
    private static final CacheOptions NONE = new CacheOptions(null, null, null, true);
  }

  /**
   * Checks that no cache is there twice.
   *
   * @throws IllegalArgumentException if one is
   */
  public CachePlan {
    declared = Map.copyOf(declared);
    options = Map.copyOf(options);
    for (String name : declared.keySet()) {
      if (options.containsKey(name)) {
        throw new IllegalArgumentException(
            "Cache \""
                + name
                + "\" has a bean of CacheSettings and properties headrace.caches."
                + name
                + ": remove one of them");
      }
    }
  }

  /** The names that are known. */
  Set<String> names() {
    Set<String> names = new TreeSet<>(declared.keySet());
    names.addAll(options.keySet());
    return names;
  }

  /** Whether a cache holds null. */
  boolean holdsNull(String name) {
    return !declared.containsKey(name)
        && options.getOrDefault(name, CacheOptions.NONE).nullValues();
  }

  /**
   * The settings with which a cache is opened.
   *
   * @throws dev.headrace.api.error.CodecException if there is no codec for one of its types
   * @throws IllegalArgumentException if its name is empty or too long
   */
  @SuppressWarnings("unchecked") // codecs tell objects of other types by a ClassCastException
  CacheSettings<Object, Object> settings(String name) {
    CacheSettings<?, ?> settings = declared.get(name);
    if (settings != null) {
      return (CacheSettings<Object, Object>) settings;
    }
    CacheOptions known = options.getOrDefault(name, CacheOptions.NONE);
    String property = "headrace.caches." + name;
    Class<?> keyType = known.keyType();
    Class<?> valueType = known.valueType();
    Codec<Object> keys =
        keyType == null
            ? new UntypedKeyCodec(name, allowed)
            : ConfiguredCodec.of(keyType, property + ".key-type", false);
    Codec<Object> values =
        valueType == null
            ? new UntypedValueCodec(name, allowed)
            : ConfiguredCodec.of(valueType, property + ".value-type", known.nullValues());
    Duration lifespan = known.lifespan();
    Duration time = lifespan == null ? defaultLifespan : lifespan;
    CacheSettings<Object, Object> opened = new CacheSettings<>(name, keys, values);
    return time.equals(Cache.FOREVER) ? opened : opened.withLifespan(time);
  }
}
