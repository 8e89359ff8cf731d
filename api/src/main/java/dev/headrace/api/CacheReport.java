package dev.headrace.api;

import java.util.List;
import java.util.Optional;

/**
 * The caches of a cluster and their sizes, as its nodes have told them; see {@link
 * Headrace#caches}.
 *
 * @param caches all caches, in the order of their names
 * @param missingNodes the names of data nodes that have not answered in time; what only they hold
 *     is not counted
 * @param complete whether every segment that has an owner was counted, and none twice. If not,
 *     either nodes are missing or segments have changed hands all the while
 */
public record CacheReport(List<CacheStatus> caches, List<String> missingNodes, boolean complete) {

  /** Copies the lists. */
  public CacheReport {
    caches = List.copyOf(caches);
    missingNodes = List.copyOf(missingNodes);
  }

  /** The cache of a name; empty if it is unknown. */
  public Optional<CacheStatus> cache(String name) {
    return caches.stream().filter(cache -> cache.name().equals(name)).findFirst();
  }
}
