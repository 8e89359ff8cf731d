package dev.headrace.replication.message;

/**
 * A new primary asks an owner for its history, before it serves.
 *
 * @param afterSequence the last mutation that the new primary has; it asks for those behind it
 */
public record HistoryRequest(
    String cache, int segment, long epoch, long segmentEpoch, long afterSequence)
    implements SegmentMessage.FromPrimary {}
