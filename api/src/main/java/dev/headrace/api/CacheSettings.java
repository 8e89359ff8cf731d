package dev.headrace.api;

import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a node opens a cache. Immutable; what is not necessary has a default, and a method that
 * returns settings like these with another value.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class CacheSettings<K, V> {
  private final String name;
  private final Codec<K> keyCodec;
  private final Codec<V> valueCodec;
  private final Duration lifespan;

  /**
   * Settings with defaults for all that is not given.
   *
   * @param name the cache's name in the cluster, 1 to 255 bytes in UTF-8
   * @param keyCodec how keys become bytes; equal keys must have equal bytes
   * @param valueCodec how values become bytes
   * @throws IllegalArgumentException if the name is too short or too long
   */
  public CacheSettings(String name, Codec<K> keyCodec, Codec<V> valueCodec) {
    this(name, keyCodec, valueCodec, Cache.FOREVER);
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > 255) {
      throw new IllegalArgumentException(
          "A cache's name must have 1 to 255 bytes in UTF-8, but \"" + name + "\" has " + bytes);
    }
  }

  private CacheSettings(String name, Codec<K> keyCodec, Codec<V> valueCodec, Duration lifespan) {
    this.name = Objects.requireNonNull(name, "name");
    this.keyCodec = Objects.requireNonNull(keyCodec, "keyCodec");
    this.valueCodec = Objects.requireNonNull(valueCodec, "valueCodec");
    this.lifespan = lifespan;
  }

  /**
   * Settings with the built-in codecs of two types.
   *
   * @throws dev.headrace.api.error.CodecException if there is no built-in codec for a type
   * @throws IllegalArgumentException if the name is too short or too long
   */
  public static <K, V> CacheSettings<K, V> of(String name, Class<K> keyType, Class<V> valueType) {
    return new CacheSettings<>(name, Codecs.of(keyType), Codecs.of(valueType));
  }

  /**
   * The same with another {@link #lifespan}.
   *
   * @param time how long entries are present; {@link Cache#FOREVER} for no end
   * @throws IllegalArgumentException if the time is zero or negative
   */
  public CacheSettings<K, V> withLifespan(Duration time) {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException(
          "The lifespan of a cache's entries must be positive, but is "
              + time
              + ": use Cache.FOREVER for entries that stay");
    }
    return new CacheSettings<>(name, keyCodec, valueCodec, time);
  }

  /** The cache's name in the cluster. */
  public String name() {
    return name;
  }

  /** How keys become bytes. */
  public Codec<K> keyCodec() {
    return keyCodec;
  }

  /** How values become bytes. */
  public Codec<V> valueCodec() {
    return valueCodec;
  }

  /**
   * How long an entry is present that is written without a lifespan of its own; {@link
   * Cache#FOREVER} unless set. It begins anew with every such write, but a computation leaves an
   * entry that is there what is left of its time.
   *
   * <p>It belongs to the {@link Cache} that was opened with it and not to the cluster: the node
   * that writes decides. If nodes open a cache with different ones, each entry has that of the node
   * that wrote it last; open the cache with the same on all nodes unless that is wanted.
   */
  public Duration lifespan() {
    return lifespan;
  }

  /** Equal if everything is. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CacheSettings<?, ?> settings
        && name.equals(settings.name)
        && keyCodec.equals(settings.keyCodec)
        && valueCodec.equals(settings.valueCodec)
        && lifespan.equals(settings.lifespan);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, keyCodec, valueCodec, lifespan);
  }

  /** Everything by its name; codecs by their formats. */
  @Override
  public String toString() {
    return "CacheSettings[name="
        + name
        + ", keys="
        + keyCodec.format()
        + ", values="
        + valueCodec.format()
        + ", lifespan="
        + (lifespan.equals(Cache.FOREVER) ? "forever" : lifespan)
        + "]";
  }
}
