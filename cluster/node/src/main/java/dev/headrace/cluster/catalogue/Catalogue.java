package dev.headrace.cluster.catalogue;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.cache.FormatNotes;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes in the cluster the formats of the caches that this node opens, for readers that do not know
 * the types: {@link dev.headrace.api.Headrace#caches} and the command line. The notes are a cache
 * of Headrace's own. Its keys are names of caches; each value is the format of the cache's keys, a
 * line break, and the format of its values. The first node that opens a cache decides the note.
 *
 * <p>Programs with other forms of the records in a cache's values write in the format of its note,
 * so their first write waits for it ({@link #claim}). Nothing else waits for a note. Before the
 * first write to the cluster nothing is noted, because the first write makes its owners final. A
 * note that failed is made when the cache is opened again; one that was lost with all owners of its
 * segment, when another node opens the cache. Thread-safe.
 */
public final class Catalogue implements FormatNotes {
  private static final Logger LOG = LoggerFactory.getLogger(Catalogue.class);

  /** The name of the cache that holds the notes. */
  public static final String NAME = "headrace.caches";

  private static final CacheSettings<String, String> SETTINGS =
      CacheSettings.of(NAME, String.class, String.class);

  /** The most caches of a cluster. A node that opens more names makes no further notes. */
  private static final int MAX_NOTES = 4_096;

  private final Cache<String, String> notes;
  private final BooleanSupplier holdsData;
  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final Map<String, String> waiting = new ConcurrentHashMap<>();

  /**
   * @param notes where notes are written
   * @param holdsData whether anything was written to the cluster
   */
  public Catalogue(Cache<String, String> notes, BooleanSupplier holdsData) {
    this.notes = notes;
    this.holdsData = holdsData;
  }

  /** The settings of the cache that holds the notes. */
  public static CacheSettings<String, String> settings() {
    return SETTINGS;
  }

  /** The note of a cache with keys and values of these formats. */
  public static String note(String keyFormat, String valueFormat) {
    return keyFormat + "\n" + valueFormat;
  }

  /** The format of the keys in a note; null if it has none. */
  public static @Nullable String keyFormat(String note) {
    int end = note.indexOf('\n');
    return end < 0 ? null : note.substring(0, end);
  }

  /** The format of the values in a note; null if it has none. */
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

  /** Removes a cache's note. */
  public CompletableFuture<?> remove(String cache) {
    waiting.remove(cache);
    return notes.async().remove(cache);
  }

  /** A cache was removed: whoever opens one under its name notes it anew. */
  public void forget(String cache) {
    waiting.remove(cache);
    known.remove(cache);
  }

  @Override
  public @Nullable Note find(String cache) {
    return parsed(notes.get(cache));
  }

  @Override
  public Note claim(String cache, Note own) {
    Note found = parsed(notes.get(cache));
    if (found == null) {
      notes.putIfAbsent(cache, note(own.keys(), own.values()));
      found = parsed(notes.get(cache));
    }
    return found == null ? own : found;
  }

  private static @Nullable Note parsed(@Nullable String note) {
    String keys = note == null ? null : keyFormat(note);
    String values = note == null ? null : valueFormat(note);
    return keys == null || values == null ? null : new Note(keys, values);
  }

  /** Makes the waiting notes if that is possible now. Called periodically. */
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
      var unused =
          notes.async().putIfAbsent(name, formats).whenComplete((before, e) -> completed(name, e));
    } catch (HeadraceException e) {
      completed(name, e);
    }
  }

  private void completed(String name, @Nullable Throwable failure) {
    if (failure != null) {
      known.remove(name);
      LOG.debug("Cache \"" + name + "\" is not noted", failure);
    }
  }
}
