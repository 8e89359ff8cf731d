package dev.headrace.api;

import dev.headrace.api.stream.EntryVersion;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a cache as an owner of its segment had it at one moment; see {@link Cache#getEntry}.
 *
 * @param key the key that was asked for
 * @param value its value
 * @param version which write the value comes from; see {@link Cache#replaceIfVersion}
 * @param expiry when the entry expires, in cluster time, which is the clock of the cluster's first
 *     node as it goes on from its start: it may differ from this machine's; null if the entry does
 *     not expire
 */
public record CacheEntry<K, V>(K key, V value, EntryVersion version, @Nullable Instant expiry) {}
