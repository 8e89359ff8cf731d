package dev.headrace.cli;

import dev.headrace.api.Headrace;
import dev.headrace.cli.cluster.KnownCaches;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A cache and how many entries it has.
 *
 * @param keys the format of its keys
 * @param values the format of its values
 */
record CacheSize(String name, long entries, String keys, String values) {
  private static final long PATIENCE_SECONDS = 2;

  /**
   * All caches of a cluster by name; nothing if the cluster does not tell in time, as one that has
   * lost its majority.
   */
  static Optional<List<CacheSize>> all(Headrace node) throws InterruptedException {
    var asked = CompletableFuture.supplyAsync(() -> ask(node));
    try {
      return Optional.of(asked.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    } catch (TimeoutException | ExecutionException e) {
      return Optional.empty();
    }
  }

  private static List<CacheSize> ask(Headrace node) {
    KnownCaches caches = new KnownCaches(node);
    List<CacheSize> sizes = new ArrayList<>();
    for (Map.Entry<String, KnownCaches.Formats> cache : caches.all().entrySet()) {
      long entries = caches.size(cache.getKey(), cache.getValue());
      sizes.add(
          new CacheSize(
              cache.getKey(), entries, cache.getValue().keys(), cache.getValue().values()));
    }
    return sizes;
  }
}
