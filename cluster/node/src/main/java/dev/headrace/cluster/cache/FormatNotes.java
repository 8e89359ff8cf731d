package dev.headrace.cluster.cache;

import org.jspecify.annotations.Nullable;

/** What the cluster has noted of the formats with which caches began. Thread-safe. */
public interface FormatNotes {

  /**
   * Reads what is noted of a cache.
   *
   * @return null if nothing is
   * @throws dev.headrace.api.error.HeadraceException if the cluster does not answer
   */
  @Nullable Note find(String cache);

  /**
   * Notes the formats of a cache, unless some are noted.
   *
   * @return what is noted then
   * @throws dev.headrace.api.error.HeadraceException if the cluster does not answer; the formats
   *     may have been noted then
   */
  Note claim(String cache, Note own);

  /** The formats of a cache's keys and values. */
  record Note(String keys, String values) {}
}
