package dev.headrace.replication.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A primary has a learner begin a copy: from here on it follows the segment's history. What was
 * there before comes along if it is small, and else is read from the primary, range by range.
 *
 * @param format a hash of the formats of keys and values, 0 for any
 * @param copyNumber the primary's number for this copy; of one term, a greater one discards a
 *     smaller one
 * @param sequence the last mutation before the learner's history; it gets all that follow
 * @param term the term of that mutation, 0 if there is none
 * @param beganUnder what the primary knows of {@link Standing#beganUnder}: a learner that does not
 *     see the first mutation knows of content by this, and has to know that there was none before
 * @param entries all entries as of that mutation in hash order, as a batch; null if they have to be
 *     read
 * @param results what callers may still ask for of that mutation and those before it
 */
@SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
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
    byte @Nullable [] entries,
    List<ResultWindow> results)
    implements SegmentMessage.FromPrimary {

  /** Nodes before this version of the protocol read all entries, unless there are none. */
  public static final int CARRYING_PROTOCOL = 8;

  /** Copies the list. */
  public BeginCopy(
      String cache,
      int format,
      int segment,
      long epoch,
      long segmentEpoch,
      long copyNumber,
      long sequence,
      long term,
      long beganUnder,
      byte @Nullable [] entries,
      List<ResultWindow> results) {
    this.cache = cache;
    this.format = format;
    this.segment = segment;
    this.epoch = epoch;
    this.segmentEpoch = segmentEpoch;
    this.copyNumber = copyNumber;
    this.sequence = sequence;
    this.term = term;
    this.beganUnder = beganUnder;
    this.entries = entries;
    this.results = List.copyOf(results);
  }
}
