package dev.headrace.replication.message;

/**
 * A new primary asks an owner for its history, before it serves.
 *
 * @param afterSequence the last mutation that the new primary has; it asks for those behind it
 * @param beganUnder what it knows of {@link Standing#beganUnder}: whoever hears that there is
 *     content has to know, too, that there was none before
 */
public record HistoryRequest(
    String cache, int segment, long epoch, long segmentEpoch, long afterSequence, long beganUnder)
    implements SegmentMessage.FromPrimary {}
