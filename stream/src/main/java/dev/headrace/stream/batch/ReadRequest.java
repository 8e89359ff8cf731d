package dev.headrace.stream.batch;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.operator.Operators;
import org.jspecify.annotations.Nullable;

/**
 * What a stream asks of one node: so many entries and bytes of these segments, from a cursor on.
 * Immutable; nobody may change its arrays.
 *
 * @param cache the cache's name
 * @param format a 32-bit hash of the formats of the cache's keys and values; 0 for any
 * @param epoch the epoch of the segment table with which the stream planned
 * @param segments segments in reading order, 1 to {@link #MAX_SEGMENTS}
 * @param incarnations the incarnation that the stream expects of each segment
 * @param firstCursor where to continue in the first segment; the others are read from their start
 * @param maxEntries the most entries in the answer, at least 1
 * @param maxBytes the most bytes of entries in the answer, at least 1
 * @param alone whether nothing else is buffered or in flight for the stream, because the next entry
 *     is larger than the stream's window
 * @param projection which parts of entries are wanted
 * @param keys encoded keys of the only segment, in hash order, at most {@link #MAX_KEYS}; null for
 *     all keys
 * @param operators which entries are wanted, and what is answered of them; null for all entries as
 *     they are
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
public record ReadRequest(
    String cache,
    int format,
    long epoch,
    int[] segments,
    int[] incarnations,
    Cursor firstCursor,
    int maxEntries,
    int maxBytes,
    boolean alone,
    Projection projection,
    byte @Nullable [][] keys,
    @Nullable Operators operators) {

  /** The most segments that one request may name. */
  public static final int MAX_SEGMENTS = 1024;

  /** The most keys that one request may name. */
  public static final int MAX_KEYS = 4096;

  /**
   * Checks every bound.
   *
   * @throws IllegalArgumentException if one is exceeded
   */
  public ReadRequest {
    require(
        segments.length >= 1 && segments.length <= MAX_SEGMENTS,
        "a request names 1 to " + MAX_SEGMENTS + " segments, but this one " + segments.length);
    require(
        incarnations.length == segments.length,
        "a request names "
            + segments.length
            + " segments, but "
            + incarnations.length
            + " incarnations");
    require(maxEntries >= 1, "maxEntries must be at least 1, but is " + maxEntries);
    require(maxBytes >= 1, "maxBytes must be at least 1, but is " + maxBytes);
    require(
        keys == null || (keys.length >= 1 && keys.length <= MAX_KEYS && segments.length == 1),
        "keys must be 1 to " + MAX_KEYS + " of one segment");
    require(projection != Projection.NOTHING, "a request asks for some part of entries");
    require(
        operators == null || projection.isForStreams(),
        "operators are for streams, and not for " + projection);
  }

  /** Asks for entries as they are. */
  public ReadRequest(
      String cache,
      int format,
      long epoch,
      int[] segments,
      int[] incarnations,
      Cursor firstCursor,
      int maxEntries,
      int maxBytes,
      boolean alone,
      Projection projection,
      byte @Nullable [][] keys) {
    this(
        cache,
        format,
        epoch,
        segments,
        incarnations,
        firstCursor,
        maxEntries,
        maxBytes,
        alone,
        projection,
        keys,
        null);
  }

  /**
   * Asks for the next entries of one segment, with all that a replica keeps of them.
   *
   * @param alone whether a single entry may be larger than the bytes
   */
  public static ReadRequest ofReplica(
      String cache,
      long epoch,
      int segment,
      int incarnation,
      Cursor from,
      int maxBytes,
      boolean alone) {
    return new ReadRequest(
        cache,
        0,
        epoch,
        new int[] {segment},
        new int[] {incarnation},
        from,
        Integer.MAX_VALUE,
        maxBytes,
        alone,
        Projection.REPLICA,
        null);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }
}
