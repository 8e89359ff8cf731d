package dev.headrace.http.cache;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.Headrace;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.api.error.IngestException;
import dev.headrace.cluster.catalogue.Catalogue;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.text.TextForm;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The caches of a cluster by their names, opened on encoded bytes with the formats that the
 * cluster's catalogue tells. Thread-safe.
 */
public final class OpenCaches {
  private static final int MAX_KEPT = 4_096;

  private final Headrace node;
  private final AsyncCache<String, String> notes;
  private final Map<String, OpenCache> kept = new ConcurrentHashMap<>();

  /** How often a cache was forgotten: what was found out before may be of the past. */
  private final AtomicLong forgotten = new AtomicLong();

  /** The caches of a node's cluster. */
  public OpenCaches(Headrace node) {
    this.node = node;
    this.notes = node.cache(Catalogue.settings()).async();
  }

  /**
   * A cache that exists.
   *
   * @return ends with a {@link ProblemException} 404 if nobody has opened it
   * @throws ProblemException 400 if no cache can have this name
   */
  public CompletableFuture<OpenCache> find(String name) {
    return findOrNull(name)
        .thenApply(
            found -> {
              if (found == null) {
                throw new ProblemException(
                    404,
                    "There is no cache \""
                        + name
                        + "\"; GET /v1/caches lists those that there are");
              }
              return found;
            });
  }

  /**
   * A cache that perhaps exists.
   *
   * @return null if nobody has opened it
   * @throws ProblemException 400 if no cache can have this name
   */
  CompletableFuture<@Nullable OpenCache> findOrNull(String name) {
    checkName(name);
    OpenCache present = kept.get(name);
    if (present != null) {
      return CompletableFuture.completedFuture(present);
    }
    if (name.equals(Catalogue.NAME)) {
      return CompletableFuture.completedFuture(open(name, "string", "string"));
    }
    long seen = forgotten.get();
    return notes.get(name).thenApply(note -> note == null ? null : open(name, note, seen));
  }

  /**
   * A cache to write to, which is made if there is none.
   *
   * @param keyFormat the format of its keys if it is made
   * @param valueFormat the format of its values if it is made
   * @param check is given the formats of keys and values before a cache is made; none is if it
   *     throws
   * @throws ProblemException 400 if no cache can have this name, 403 for one of Headrace's own
   */
  public CompletableFuture<OpenCache> findOrMake(
      String name, String keyFormat, String valueFormat, BiConsumer<TextForm, TextForm> check) {
    checkWritable(name);
    checkName(name);
    OpenCache present = kept.get(name);
    if (present != null) {
      return CompletableFuture.completedFuture(present);
    }
    String fresh = Catalogue.note(keyFormat, valueFormat);
    long seen = forgotten.get();
    return notes
        .get(name)
        .thenCompose(
            note -> {
              if (note != null) {
                return CompletableFuture.completedFuture(note);
              }
              check.accept(TextForm.of(keyFormat), TextForm.of(valueFormat));
              return notes.putIfAbsent(name, fresh).thenCompose(made -> notes.get(name));
            })
        .thenApply(note -> open(name, note == null ? fresh : note, seen));
  }

  /**
   * Checks the size of the first entry of a cache, before it is made.
   *
   * @throws EntryTooLargeException if the cluster would refuse the entry
   */
  void checkSize(String name, long keyBytes, long valueBytes) {
    int limitBytes = node.settings().maxEntryBytes();
    if (keyBytes + valueBytes > limitBytes) {
      throw EntryTooLargeException.of(name, keyBytes + valueBytes, limitBytes);
    }
  }

  /** Has a cache opened anew next time: it was removed, or has other formats than it had. */
  public void forget(String name) {
    forgotten.incrementAndGet();
    kept.remove(name);
  }

  /** Has a cache opened anew next time if something failed because of its formats. */
  public void failed(String name, @Nullable Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException || cause instanceof IngestException) {
      cause = cause.getCause();
    }
    if (cause instanceof CodecException) {
      forget(name);
    }
  }

  /** A cache that was opened before; null if it was not. */
  public @Nullable OpenCache kept(String name) {
    return kept.get(name);
  }

  /** Opens a cache of known formats. */
  public OpenCache open(String name, String keyFormat, String valueFormat) {
    return open(name, Catalogue.note(keyFormat, valueFormat), forgotten.get());
  }

  private OpenCache open(String name, String note, long seen) {
    String keyFormat = orEmpty(Catalogue.keyFormat(note));
    String valueFormat = orEmpty(Catalogue.valueFormat(note));
    OpenCache open =
        new OpenCache(
            node.cache(
                new CacheSettings<>(name, Codecs.encoded(keyFormat), Codecs.encoded(valueFormat))),
            TextForm.of(keyFormat),
            TextForm.of(valueFormat));
    if (kept.size() < MAX_KEPT) {
      kept.put(name, open);
      if (forgotten.get() != seen) { // it may have been this one; else it is only opened again
        kept.remove(name);
      }
    }
    return open;
  }

  private static String orEmpty(@Nullable String format) {
    return format == null ? "" : format;
  }

  /**
   * Checks that clients may write to a cache.
   *
   * @throws ProblemException 403 for one of Headrace's own
   */
  static void checkWritable(String name) {
    if (name.equals(Catalogue.NAME)) {
      throw new ProblemException(
          403, "The cache \"" + name + "\" is Headrace's own; it is only read");
    }
  }

  private static void checkName(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > 255) {
      throw new ProblemException(
          400, "A cache's name has 1 to 255 bytes in UTF-8, but this one has " + bytes);
    }
  }
}
