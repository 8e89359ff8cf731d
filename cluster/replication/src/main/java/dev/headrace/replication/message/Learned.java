package dev.headrace.replication.message;

/**
 * A learner tells the primary how far it is.
 *
 * @param copyNumber the copy that it speaks of
 * @param sequence the last mutation that it has taken note of; all before it too
 * @param begun whether it has begun this copy; if not, it has lost what it had and wants another
 * @param bytes how many bytes of entries it has read
 * @param complete whether it has all entries as of the last mutation that it has taken note of
 * @param missing whether what follows is asked for again
 */
public record Learned(
    String cache,
    int segment,
    long epoch,
    long segmentEpoch,
    long copyNumber,
    long sequence,
    boolean begun,
    long bytes,
    boolean complete,
    boolean missing)
    implements SegmentMessage {}
