package dev.headrace.stream.change;

import dev.headrace.stream.entry.Cursor;
import java.util.List;

/**
 * A node's answer to a {@link ChangeQuery}. Segments of which there is nothing to tell, or for
 * which there was no room, are missing.
 *
 * @param parts in the order of the query's segments
 * @param bytes what the parts tell, one behind the other
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
public record ChangeAnswer(List<Part> parts, byte[] bytes) {

  /** The most bytes of an answer, whatever its question asks for, or a single larger change. */
  public static final int MAX_BYTES = 256 << 10;

  /** An answer that tells nothing. */
  public static final ChangeAnswer NOTHING = new ChangeAnswer(List.of(), new byte[0]);

  /** What a part tells. The order is the wire's. */
  public enum Status {
    /** Changes up to the one before {@link Part#next}. */
    CHANGES,
    /** Entries as of the change before {@link Part#next}; others may follow. */
    CONTENT,
    /** Entries as of the change before {@link Part#next}; no others follow. */
    CONTENT_END,
    /** Which change comes next. */
    POSITION,
    /** The changes that were asked for are not retained. */
    FORGOTTEN,
    /** The node cannot tell now: it is no owner of the segment, or not ready. */
    NOT_HELD,
    /** The cache holds another format. */
    WRONG_FORMAT,
    /** The node retains no changes at all. */
    NOT_RETAINED,
    /** The node does not retain previous values. */
    NO_PREVIOUS,
    /**
     * The mutation that the reader waits for, or the last one that it knows, was undone; {@link
     * Part#next} is the first that was, or 0 if it is not known. One that was told as a change is
     * undone only where the cluster may go on in parts.
     */
    UNDONE
  }

  /**
   * What is told of one segment.
   *
   * @param next the number of the change that follows what is told; 0 where nothing is
   * @param term the term of the mutation before that, 0 if there is none, -1 if it is not known
   * @param stable whether that mutation can never be undone
   * @param cursor where the entries end; the start unless the status is {@link Status#CONTENT}
   * @param length how many of the answer's bytes are the segment's
   */
  public record Part(
      int segment, Status status, long next, long term, boolean stable, Cursor cursor, int length) {

    /** Tells nothing but a status. */
    public static Part of(int segment, Status status) {
      return new Part(segment, status, 0, -1, false, Cursor.START, 0);
    }
  }

  /**
   * Checks that the lengths are those of the bytes.
   *
   * @throws IllegalArgumentException if they are not
   */
  public ChangeAnswer {
    long sum = 0;
    for (Part part : parts) {
      if (part.length < 0) {
        throw new IllegalArgumentException("a length is " + part.length);
      }
      sum += part.length;
    }
    if (sum != bytes.length) {
      throw new IllegalArgumentException(
          "parts of %d bytes together lie in %d bytes".formatted(sum, bytes.length));
    }
  }
}
