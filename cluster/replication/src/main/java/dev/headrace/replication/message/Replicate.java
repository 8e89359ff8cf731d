package dev.headrace.replication.message;

/**
 * A primary tells an owner the next step of a segment's history.
 *
 * @param format a hash of the formats of keys and values, 0 for any
 * @param stableSequence up to which mutation every owner of the epoch has applied the history
 * @param mutation the step; its number is the number of this message
 */
public record Replicate(
    String cache,
    int format,
    int segment,
    long epoch,
    long segmentEpoch,
    long stableSequence,
    Mutation mutation)
    implements SegmentMessage.FromPrimary {}
