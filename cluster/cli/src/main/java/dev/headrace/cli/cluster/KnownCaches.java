package dev.headrace.cli.cluster;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.Headrace;
import dev.headrace.cli.text.TextCodec;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/** The caches of a cluster, as its catalogue has them. */
public final class KnownCaches {
  private final Headrace node;
  private final Cache<String, String> catalogue;

  /** Those of the cluster that a node is in. */
  public KnownCaches(Headrace node) {
    this.node = node;
    catalogue = node.cache(CacheSettings.catalogue());
  }

  /** Formats of a cache's keys and values. */
  public record Formats(String keys, String values) {
    static Formats parse(String note) {
      int end = note.indexOf('\n');
      return new Formats(note.substring(0, Math.max(0, end)), note.substring(end + 1));
    }
  }

  /** The formats of a cache, or null if nobody has opened it. */
  @Nullable Formats formats(String name) {
    if (name.equals(CacheSettings.catalogue().name())) {
      return new Formats("string", "string");
    }
    String note = catalogue.get(name);
    return note == null ? null : Formats.parse(note);
  }

  /** All caches by name. */
  public NavigableMap<String, Formats> all() {
    NavigableMap<String, Formats> caches = new TreeMap<>();
    try (CloseableIterator<Map.Entry<String, String>> notes =
        catalogue.stream().entries().iterator()) {
      while (notes.hasNext()) {
        Map.Entry<String, String> note = notes.next();
        caches.put(note.getKey(), Formats.parse(note.getValue()));
      }
    }
    return caches;
  }

  /** Notes a cache that is about to be made, and waits until it is noted. */
  void create(String name, Formats formats) {
    catalogue.putIfAbsent(name, formats.keys() + "\n" + formats.values());
  }

  /** Opens a cache of which keys and values are text here. */
  Cache<String, String> open(String name, Formats formats) {
    return node.cache(
        new CacheSettings<>(name, TextCodec.of(formats.keys()), TextCodec.of(formats.values())));
  }

  /** The number of a cache's entries. */
  public long size(String name, Formats formats) {
    return open(name, formats).size();
  }
}
