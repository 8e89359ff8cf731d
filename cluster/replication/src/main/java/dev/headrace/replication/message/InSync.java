package dev.headrace.replication.message;

/**
 * The primary tells an owner that it has everything that was ever acknowledged, and that from now
 * on no write is acknowledged without it: only then it may serve reads.
 *
 * @param copyNumber the last copy of the owner under this term, 0 if there was none
 */
public record InSync(String cache, int segment, long epoch, long segmentEpoch, long copyNumber)
    implements SegmentMessage.FromPrimary {}
