package dev.headrace.replication.message;

import java.util.List;

/**
 * A primary has a learner begin a copy: from here on it follows the segment's history, and reads
 * what was there before from the primary, range by range.
 *
 * @param format a hash of the formats of keys and values, 0 for any
 * @param copyNumber the primary's number for this copy; of one term, a greater one discards a
 *     smaller one
 * @param sequence the last mutation before the learner's history; it gets all that follow
 * @param term the term of that mutation, 0 if there is none
 * @param beganUnder what the primary knows of {@link Standing#beganUnder}: a learner that does not
 *     see the first mutation knows of content by this, and has to know that there was none before
 * @param empty whether there are no entries as of that mutation, so that there is nothing to read
 * @param results what callers may still ask for of that mutation and those before it
 */
public record BeginCopy(
    String cache,
    int format,
    int segment,
    long epoch,
    long segmentEpoch,
    long copyNumber,
    long sequence,
    long term,
    long beganUnder,
    boolean empty,
    List<ResultWindow> results)
    implements SegmentMessage.FromPrimary {

  /** Copies the list. */
  public BeginCopy {
    results = List.copyOf(results);
  }
}
