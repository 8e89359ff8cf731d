package dev.headrace.replication.message;

/**
 * A primary with nothing more to send tells the owners that all have applied its history, so that
 * they need not keep its end any longer. A node that is no owner may drop what it holds: a former
 * owner, for the new primary serves, and a learner whose copy is no longer wanted.
 *
 * @param stableSequence up to which mutation every owner of the epoch has applied the history
 * @param copyNumber the copy that a learner is released from; 0 to anybody else
 */
public record Settled(
    String cache, int segment, long epoch, long segmentEpoch, long stableSequence, long copyNumber)
    implements SegmentMessage.FromPrimary {}
