package dev.headrace.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the cluster and what it holds, as its owners count it. Entries that have expired but
 * are not yet deleted count.
 *
 * @param name the cache's name
 * @param entries how many entries it has
 * @param bytes the bytes of its entries, each counted once: encoded keys and values, and some bytes
 *     for version, expiry and lengths
 * @param replicaBytes the bytes of all replicas of its entries, backups included; the heap that
 *     they take is more by their tables and by what waits for compaction, see {@link
 *     ClusterStatus.Member#memory}
 * @param keyFormat the format of its keys, as {@link dev.headrace.api.codec.Codec#format} of the
 *     node that opened it first tells it; null if that is not known
 * @param valueFormat the format of its values; null if that is not known
 * @param nodes what each node holds of it that has answered and knows it, in the order of their
 *     names
 */
public record CacheStatus(
    String name,
    long entries,
    long bytes,
    long replicaBytes,
    @Nullable String keyFormat,
    @Nullable String valueFormat,
    List<Share> nodes) {

  /** Copies the list. */
  public CacheStatus {
    nodes = List.copyOf(nodes);
  }

  /**
   * What one node holds of a cache.
   *
   * @param node the node's name
   * @param entries the entries of the segments of which it is the primary
   * @param bytes the bytes of these
   * @param replicaBytes the bytes of all entries that it holds, as a primary or a backup
   */
  public record Share(String node, long entries, long bytes, long replicaBytes) {}
}
