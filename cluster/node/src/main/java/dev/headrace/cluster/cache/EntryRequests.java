package dev.headrace.cluster.cache;

import dev.headrace.replication.client.Request;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Makes the requests of a load: encodes keys and values with the cache's codecs, and checks their
 * sizes. Thread-safe. What it throws is what {@code Cache.put} would.
 *
 * @param <K> the cache's keys
 * @param <V> the cache's values
 */
public interface EntryRequests<K, V> {

  /**
   * Writes an entry.
   *
   * @param lifespan null for the lifespan of the cache's entries
   */
  Request set(boolean ifAbsent, K key, V value, @Nullable Duration lifespan);

  /** Encodes a value that has no key yet. */
  byte[] valueAlone(V value);

  /** Encodes a key. */
  byte[] keyOf(K key);

  /**
   * When an entry that is written now expires, in cluster time; 0 for never.
   *
   * @param lifespan null for that of the cache
   */
  long expiryMillisOf(@Nullable Duration lifespan);

  /** Writes an encoded entry. */
  Request set(byte[] key, byte[] value, long expiryMillis);

  /** The key of encoded bytes. */
  K decodeKey(byte[] key);
}
