package dev.headrace.stream.batch;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A decoded entry, as it was when it was read. Immutable. */
final class StreamEntry<K, V> implements Map.Entry<K, V> {

  private final K key;
  private final V value;

  StreamEntry(K key, V value) {
    this.key = key;
    this.value = value;
  }

  @Override
  public K getKey() {
    return key;
  }

  @Override
  public V getValue() {
    return value;
  }

  @Override
  public V setValue(V newValue) {
    throw new UnsupportedOperationException(
        "A streamed entry is a copy. To change what is stored, use Cache.put");
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Map.Entry<?, ?> entry
        && key.equals(entry.getKey())
        && Objects.equals(value, entry.getValue());
  }

  @Override
  public int hashCode() {
    return key.hashCode() ^ Objects.hashCode(value);
  }

  @Override
  public String toString() {
    return key + "=" + value;
  }
}
