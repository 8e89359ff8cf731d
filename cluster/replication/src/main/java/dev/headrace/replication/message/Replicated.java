package dev.headrace.replication.message;

/**
 * An owner tells the primary how far it has applied a segment's history. It also tells a primary
 * under a newer table that this owner's is older.
 *
 * @param sequence the last mutation applied; all before it are applied too
 * @param inSync whether the owner knows that it has everything that was acknowledged
 * @param missing whether later ones have arrived and those between are asked for again
 */
public record Replicated(
    String cache,
    int segment,
    long epoch,
    long segmentEpoch,
    long sequence,
    boolean inSync,
    boolean missing)
    implements SegmentMessage {}
