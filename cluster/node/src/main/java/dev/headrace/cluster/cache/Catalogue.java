package dev.headrace.cluster.cache;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.error.HeadraceException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notes in the cluster which caches this node opens, for those who come to look without knowing
 * types: see {@link CacheSettings#catalogue()}. The first who opens a cache decides what is noted.
 *
 * <p>It is only a note. Nobody waits for it, and nothing but the command line depends on it. As
 * long as nothing was written to the cluster nothing is noted either, because the first write makes
 * its owners final. A note that could not be made is made when the cache is opened again, one that
 * was lost with all owners of its segment when another node opens the cache. Thread-safe.
 */
public final class Catalogue {
  private static final System.Logger LOG = System.getLogger(Catalogue.class.getName());

  /** As many as a cluster takes; whoever opens more names than that is not remembered further. */
  private static final int MAX_NOTES = 4_096;

  private final AsyncCache<String, String> notes;
  private final BooleanSupplier holdsData;
  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final Map<String, String> waiting = new ConcurrentHashMap<>();

  /**
   * @param notes where notes are written
   * @param holdsData whether anything was written to the cluster
   */
  public Catalogue(AsyncCache<String, String> notes, BooleanSupplier holdsData) {
    this.notes = notes;
    this.holdsData = holdsData;
  }

  /** Notes a cache that this node opens, once. */
  public void opened(CacheSettings<?, ?> cache) {
    String name = cache.name();
    boolean itself = name.equals(CacheSettings.catalogue().name());
    if (!itself && known.size() < MAX_NOTES && known.add(name)) {
      waiting.put(name, cache.keyCodec().format() + "\n" + cache.valueCodec().format());
      tick();
    }
  }

  /** Makes the notes that are waiting if they may be made; to be called now and then. */
  public void tick() {
    if (!waiting.isEmpty() && holdsData.getAsBoolean()) {
      waiting.forEach(
          (name, formats) -> {
            if (waiting.remove(name, formats)) {
              note(name, formats);
            }
          });
    }
  }

  private void note(String name, String formats) {
    try {
      var unused = notes.putIfAbsent(name, formats).whenComplete((before, e) -> completed(name, e));
    } catch (HeadraceException e) {
      completed(name, e);
    }
  }

  private void completed(String name, @Nullable Throwable failure) {
    if (failure != null) {
      known.remove(name);
      LOG.log(System.Logger.Level.DEBUG, "Cache \"" + name + "\" is not noted", failure);
    }
  }
}
