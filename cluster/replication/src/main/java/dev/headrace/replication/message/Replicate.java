package dev.headrace.replication.message;

/**
 * A primary tells an owner the next step of a segment's history.
 *
 * @param cache the cache's name
 * @param format a hash of the formats of keys and values, 0 for any
 * @param segment the segment
 * @param epoch the epoch of the primary's table
 * @param segmentEpoch the epoch at which the segment's owners last changed: the primary's term
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
    implements ReplicationMessage {}
