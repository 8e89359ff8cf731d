package dev.headrace.cli.cluster;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.Headrace;
import dev.headrace.cluster.catalogue.Catalogue;
import dev.headrace.http.text.TextCodec;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The caches of a cluster and their formats, from its catalogue. */
final class KnownCaches {
  private final Headrace node;
  private final Cache<String, String> notes;

  /** The caches of a node's cluster. */
  KnownCaches(Headrace node) {
    this.node = node;
    notes = node.cache(Catalogue.settings());
  }

  /** Formats of a cache's keys and values. */
  record Formats(String keys, String values) {
    static Formats parse(String note) {
      return new Formats(
          Objects.requireNonNullElse(Catalogue.keyFormat(note), ""),
          Objects.requireNonNullElse(Catalogue.valueFormat(note), ""));
    }
  }

  /** The formats of a cache, or null if nobody has opened it. */
  @Nullable Formats formats(String name) {
    if (name.equals(Catalogue.NAME)) {
      return new Formats("string", "string");
    }
    String note = notes.get(name);
    return note == null ? null : Formats.parse(note);
  }

  /** The names of all caches. */
  List<String> names() {
    return node.caches().join().caches().stream().map(CacheStatus::name).toList();
  }

  /** Adds a new cache to the catalogue, and waits until it is there. */
  void create(String name, Formats formats) {
    notes.putIfAbsent(name, Catalogue.note(formats.keys(), formats.values()));
  }

  /** Opens a cache whose keys and values are read and written as text. */
  Cache<String, String> open(String name, Formats formats) {
    return node.cache(
        new CacheSettings<>(name, TextCodec.of(formats.keys()), TextCodec.of(formats.values())));
  }
}
