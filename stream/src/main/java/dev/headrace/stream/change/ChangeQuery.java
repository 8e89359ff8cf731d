package dev.headrace.stream.change;

import dev.headrace.stream.entry.Cursor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a reader of changes asks of one node. Immutable. The node keeps it only while it waits for
 * something to tell.
 *
 * @param cache the cache's name
 * @param format a hash of the formats of keys and values; 0 for any
 * @param reader a number by which the node recognises the reader: of two questions of one reader
 *     the later ends the wait of the earlier
 * @param previous whether the values before changes are wanted
 * @param maxBytes the most bytes of changes and entries in the answer, or a single larger one; at
 *     least 1
 * @param waitMillis how long the node may wait until there is something to tell
 * @param parts 1 to {@link #MAX_PARTS}, one per segment
 */
public record ChangeQuery(
    String cache,
    int format,
    int reader,
    boolean previous,
    int maxBytes,
    int waitMillis,
    List<Part> parts) {

  /** The most segments that one query may name. */
  public static final int MAX_PARTS = 1 << 14;

  /** The longest wait in milliseconds. */
  public static final int MAX_WAIT_MILLIS = 60_000;

  /** Where the changes end that are asked for, if they end nowhere. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  /**
   * What is asked of one segment: its content behind a cursor, if there is one; its changes from a
   * number on; or, if that is 0, which change comes next.
   *
   * @param incarnation the incarnation that the reader expects
   * @param next the number of the first change that is wanted; 0 for none. Where content is: the
   *     number of the change behind those that were handed over
   * @param limit the number of the last one, or {@link #NO_LIMIT}
   * @param term the term of the mutation before {@code next}, as far as the reader knows; else -1
   * @param content entries behind it are wanted; null if changes are
   */
  public record Part(
      int segment, int incarnation, long next, long limit, long term, @Nullable Cursor content) {

    /** Checks the numbers. */
    public Part {
      if (segment < 0 || next < 0 || limit < next || term < -1) {
        throw new IllegalArgumentException(
            "changes %d to %d of segment %d make no sense".formatted(next, limit, segment));
      }
    }
  }

  /**
   * Checks every bound.
   *
   * @throws IllegalArgumentException if one is exceeded
   */
  public ChangeQuery {
    if (parts.isEmpty() || parts.size() > MAX_PARTS) {
      throw new IllegalArgumentException(
          "a query names 1 to %d segments, but this one %d".formatted(MAX_PARTS, parts.size()));
    }
    if (maxBytes < 1 || waitMillis < 0 || waitMillis > MAX_WAIT_MILLIS) {
      throw new IllegalArgumentException(
          "a query for %d bytes that waits for %d ms makes no sense"
              .formatted(maxBytes, waitMillis));
    }
  }
}
