package dev.headrace.cluster.catalogue;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.error.HeadraceException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notes in the cluster the formats of the caches that this node opens, for those who come to look
 * without knowing types: {@link dev.headrace.api.Headrace#caches} and the command line. The notes
 * are a cache of Headrace's own: its keys are names of caches, each value is the format of a
 * cache's keys, a line break, and the format of its values. The first who opens a cache decides
 * what is noted.
 *
 * <p>Nobody waits for a note, and no operation depends on one. As long as nothing was written to
 * the cluster nothing is noted either, because the first write makes its owners final. A note that
 * could not be made is made when the cache is opened again, one that was lost with all owners of
 * its segment when another node opens the cache. Thread-safe.
 */
public final class Catalogue {
  private static final System.Logger LOG = System.getLogger(Catalogue.class.getName());

  /** The name of the cache that holds the notes. */
  public static final String NAME = "headrace.caches";

  private static final CacheSettings<String, String> SETTINGS =
      CacheSettings.of(NAME, String.class, String.class);

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

  /** How the cache that holds the notes is opened. */
  public static CacheSettings<String, String> settings() {
    return SETTINGS;
  }

  /** What is noted of a cache with keys and values of these formats. */
  public static String note(String keyFormat, String valueFormat) {
    return keyFormat + "\n" + valueFormat;
  }

  /** Of a note, the format of the keys; null if it tells none. */
  public static @Nullable String keyFormat(String note) {
    int end = note.indexOf('\n');
    return end < 0 ? null : note.substring(0, end);
  }

  /** Of a note, the format of the values; null if it tells none. */
  public static @Nullable String valueFormat(String note) {
    int end = note.indexOf('\n');
    return end < 0 ? null : note.substring(end + 1);
  }

  /** Notes a cache that this node opens, once. */
  public void opened(CacheSettings<?, ?> cache) {
    String name = cache.name();
    boolean itself = name.equals(NAME);
    if (!itself && known.size() < MAX_NOTES && known.add(name)) {
      waiting.put(name, note(cache.keyCodec().format(), cache.valueCodec().format()));
      tick();
    }
  }

  /** Makes the notes that are waiting if they may be made; to be called now and then. */
  public void tick() {
    if (!waiting.isEmpty() && holdsData.getAsBoolean()) {
      waiting.forEach(
          (name, formats) -> {
            if (waiting.remove(name, formats)) {
              write(name, formats);
            }
          });
    }
  }

  private void write(String name, String formats) {
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
