package dev.headrace.jcache.entry;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import javax.cache.Cache;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CacheWriterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer of a cache, if it writes through. It is called before the cache is changed: what it
 * refuses is not in the cache. What it throws becomes a {@link CacheWriterException}.
 */
public final class WriteThrough<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(WriteThrough.class);

  private final @Nullable CacheWriter<K, V> writer;

  /** A writer, or null for none. */
  @SuppressWarnings("unchecked") // It only takes keys and values, and gives none.
  public WriteThrough(@Nullable CacheWriter<? super K, ? super V> writer) {
    this.writer = (CacheWriter<K, V>) writer;
  }

  /** Whether there is a writer. */
  public boolean exists() {
    return writer != null;
  }

  void write(K key, V value) {
    if (writer != null) {
      call(writer, each -> each.write(new PlainEntry<>(key, value)));
    }
  }

  void delete(K key) {
    if (writer != null) {
      call(writer, each -> each.delete(key));
    }
  }

  /**
   * Writes several entries.
   *
   * @param entries can be changed; those that are left afterwards have not been written
   * @return why some have not; null if all have
   */
  public @Nullable CacheWriterException writeAll(
      Collection<Cache.Entry<? extends K, ? extends V>> entries) {
    return callAll(entries, each -> each.writeAll(entries));
  }

  /**
   * Deletes several keys.
   *
   * @param keys can be changed; those that are left afterwards have not been deleted
   * @return why some have not; null if all have
   */
  public @Nullable CacheWriterException deleteAll(Collection<?> keys) {
    return callAll(keys, each -> each.deleteAll(keys));
  }

  private @Nullable CacheWriterException callAll(Collection<?> all, Call<K, V> call) {
    if (writer != null) {
      try {
        call(writer, call);
      } catch (CacheWriterException e) {
        return e;
      }
    }
    all.clear(); // A writer that returns has written everything, whatever it has left there.
    return null;
  }

  /** A call of a writer. */
  private interface Call<K, V> {
    void of(CacheWriter<K, V> writer);
  }

  private static <K, V> void call(CacheWriter<K, V> writer, Call<K, V> call) {
    try {
      call.of(writer);
    } catch (CacheWriterException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new CacheWriterException("The writer of the cache has failed: " + e, e);
    }
  }

  /** Closes the writer, if it can be closed. */
  public void close() {
    if (writer instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException | RuntimeException e) {
        LOG.warn("The writer of a cache could not be closed", e);
      }
    }
  }
}
