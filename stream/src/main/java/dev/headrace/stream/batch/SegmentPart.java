package dev.headrace.stream.batch;

import dev.headrace.stream.entry.Cursor;

/**
 * What a batch says about one segment: how many of its entries belong to it, and how it goes on.
 *
 * @param cursor behind the last entry of this part; meaningful for {@link Status#MORE} only
 */
public record SegmentPart(int segment, int entries, Status status, Cursor cursor) {

  /** How a segment goes on behind its part. */
  public enum Status {
    /** The credit is used up; go on at the cursor. */
    MORE,
    /** Nothing follows. */
    DONE,
    /** Not served here, or not in this incarnation: ask another owner. Such a part is empty. */
    NOT_HELD,
    /** The next entry is larger than the whole credit; {@link Batch#entryBytes} is its size. */
    TOO_LARGE,
    /** The node holds the cache in another format. */
    WRONG_FORMAT
  }

  /** Checks the count. */
  public SegmentPart {
    if (entries < 0) {
      throw new IllegalArgumentException("entries must not be negative, but is " + entries);
    }
  }
}
