package dev.headrace.stream.batch;

import dev.headrace.stream.entry.Cursor;

/**
 * What a batch says about one segment.
 *
 * @param entries how many of the batch's entries belong to the segment
 * @param status how the segment continues
 * @param cursor behind the last entry of this part; meaningful for {@link Status#MORE} only
 */
public record SegmentPart(int segment, int entries, Status status, Cursor cursor) {

  /** How a segment continues behind its part. */
  public enum Status {
    /** The credit is used up; continue at the cursor. */
    MORE,
    /** Nothing follows. */
    DONE,
    /**
     * The node does not serve the segment in this incarnation: ask another owner. The part is
     * empty.
     */
    NOT_HELD,
    /** The next entry is larger than the whole credit; {@link Batch#entryBytes} is its size. */
    TOO_LARGE,
    /** The node holds the cache's keys or values in another format. */
    WRONG_FORMAT,
    /**
     * A function of the user has failed, or is missing: the batch has no entries, but a {@link
     * dev.headrace.stream.function.FunctionFault}. The part is empty, and the only one.
     */
    FUNCTION_FAILED
  }

  /** Checks the count. */
  public SegmentPart {
    if (entries < 0) {
      throw new IllegalArgumentException("entries must not be negative, but is " + entries);
    }
  }
}
