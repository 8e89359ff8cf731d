package dev.headrace.jcache;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.cache.CacheException;
import javax.cache.integration.CacheLoaderException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loads of a cache that are under way or wait for a thread, so that the loader is closed when
 * none uses it any more. Thread-safe.
 */
final class PendingLoads {
  private static final Logger LOG = LoggerFactory.getLogger(PendingLoads.class);

  private final String cache;
  private final Duration patience;
  private final Map<Object, CompletableFuture<Void>> pending = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * None yet.
   *
   * @param patience how long closing waits for loads that are under way
   */
  PendingLoads(String cache, Duration patience) {
    this.cache = cache;
    this.patience = patience;
  }

  /** A load that is to be run, once. */
  interface Load {
    /** Why it has failed, for whatever reason; null if it has not. */
    @Nullable CacheException run();
  }

  /** Registers a load. */
  Load begin(Runnable action) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Object load = new Object();
    pending.put(load, end);
    return () -> {
      try {
        if (closed) {
          return new CacheLoaderException(
              "Cache " + cache + " was closed before the keys were loaded");
        }
        CacheParts.run(action);
        return null;
      } catch (CacheLoaderException e) {
        return e;
      } catch (Throwable e) {
        // Whoever waits for the load must hear of an Error, too.
        return new CacheLoaderException("Keys of cache " + cache + " were not loaded: " + e, e);
      } finally {
        pending.remove(load);
        end.complete(null);
      }
    };
  }

  /** Lets loads that have not begun fail, and waits for the others. */
  void close() {
    closed = true;
    try {
      CompletableFuture.allOf(pending.values().toArray(CompletableFuture<?>[]::new))
          .get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("Cache {} is closed while keys are still being loaded", cache, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
