package dev.headrace.jcache.entry;

import java.util.Objects;
import javax.cache.processor.MutableEntry;
import org.jspecify.annotations.Nullable;

/**
 * An entry in the hands of an entry processor. What the processor does takes effect when it
 * returns, and only in sum. Used by one thread.
 */
public final class ProcessedEntry<K, V> implements MutableEntry<K, V> {
  private final K key;
  private final @Nullable V before;
  private final LoadThrough<K, V> loader;
  private @Nullable V value;
  private Doing doing = Doing.NOTHING;

  /** What the processor has done so far. */
  private enum Doing {
    NOTHING,
    READING,
    LOADING,
    SETTING,
    REMOVING
  }

  /**
   * An entry.
   *
   * @param before its value; null if the key is absent
   * @param loader loads an absent key when it is asked for, if reads load
   */
  public ProcessedEntry(K key, @Nullable V before, LoadThrough<K, V> loader) {
    this.key = key;
    this.before = before;
    this.value = before;
    this.loader = loader;
  }

  @Override
  public boolean exists() {
    return value != null;
  }

  @Override
  public K getKey() {
    return key;
  }

  @Override
  public @Nullable V getValue() {
    if (doing == Doing.NOTHING) {
      if (value != null) {
        doing = Doing.READING;
      } else if (loader.onRead()) {
        value = loader.load(key);
        doing = value == null ? Doing.NOTHING : Doing.LOADING;
      }
    }
    return value;
  }

  @Override
  public void setValue(V newValue) {
    value = Objects.requireNonNull(newValue, "An entry cannot be set to null: remove it instead");
    doing = Doing.SETTING;
  }

  @Override
  public void remove() {
    boolean madeHere = before == null && (doing == Doing.SETTING || doing == Doing.LOADING);
    value = null;
    doing = madeHere ? Doing.NOTHING : Doing.REMOVING;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new IllegalArgumentException("An entry of a processor is no " + type.getName());
  }

  /**
   * What has to be done now that the processor has returned.
   *
   * @param result what it has returned
   */
  public <R> EntryVerdict<V, R> verdict(@Nullable R result) {
    return switch (doing) {
      case NOTHING -> EntryVerdict.leave(result);
      case READING -> EntryVerdict.access(result);
      case LOADING -> EntryVerdict.store(Objects.requireNonNull(value), result);
      case SETTING -> EntryVerdict.put(Objects.requireNonNull(value), result);
      case REMOVING -> EntryVerdict.remove(result);
    };
  }
}
