package dev.headrace.replication.message;

import dev.headrace.stream.entry.Cursor;

/**
 * A learner tells the primary how far it is. From an owner without any chunk it says that the owner
 * has lost its copy and wants another.
 *
 * @param copyNumber the copy that it speaks of
 * @param sequence the last mutation that it has taken note of; all before it too
 * @param chunks how many chunks it has applied
 * @param cursor up to where these reach
 * @param complete whether it has applied the last chunk
 * @param missing whether what follows is asked for again
 */
public record Learned(
    String cache,
    int segment,
    long epoch,
    long segmentEpoch,
    long copyNumber,
    long sequence,
    long chunks,
    Cursor cursor,
    boolean complete,
    boolean missing)
    implements SegmentMessage {}
