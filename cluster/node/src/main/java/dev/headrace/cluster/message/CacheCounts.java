package dev.headrace.cluster.message;

import java.util.List;

/**
 * How much a node holds of each cache that it knows, ordered by name: the answer to {@link
 * CountCaches}.
 *
 * @param number the question's number
 * @param primarySegments the number of segments of which the node has counted itself as the primary
 * @param more whether caches follow the last row's
 * @param rows one per cache, at most {@value #MAX_ROWS}
 */
public record CacheCounts(long number, int primarySegments, boolean more, List<Row> rows)
    implements NodeMessage {

  /** The most rows of one message. */
  public static final int MAX_ROWS = 512;

  /** The bytes of names and formats after which a message takes no further row. */
  public static final int ENOUGH_BYTES = 64 << 10;

  /** Checks the number of rows and copies them. */
  public CacheCounts {
    if (rows.size() > MAX_ROWS || (more && rows.isEmpty())) {
      throw new IllegalArgumentException(
          rows.size() + " rows of caches" + (more ? " and more to come" : ""));
    }
    rows = List.copyOf(rows);
  }

  /**
   * One cache.
   *
   * @param cache its name
   * @param entries entries of the segments of which the node is the primary
   * @param bytes the bytes of these
   * @param replicaBytes the bytes of all entries that the node holds as an owner
   * @param formats the catalogue's note, if the node is the primary of the note's segment; else
   *     empty
   */
  public record Row(String cache, long entries, long bytes, long replicaBytes, String formats) {
    /** Checks the numbers. */
    public Row {
      if (entries < 0 || bytes < 0 || replicaBytes < 0) {
        throw new IllegalArgumentException("what a cache holds cannot be negative");
      }
    }
  }
}
