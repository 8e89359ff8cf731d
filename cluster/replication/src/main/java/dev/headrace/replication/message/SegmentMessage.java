package dev.headrace.replication.message;

/**
 * A message about one segment of one cache. What it means depends on who owns the segment, so it
 * brings along what its sender knows of that (P7); whoever gets it compares that with its own table
 * before anything else.
 */
public sealed interface SegmentMessage extends ReplicationMessage
    permits SegmentMessage.FromPrimary,
        Operation,
        Replicated,
        Learned,
        History,
        RepairMessage.Compared,
        RepairMessage.RangeRepaired {
  String cache();

  int segment();

  /** The epoch of the sender's table. */
  long epoch();

  /**
   * The epoch at which the segment's owners last changed, as the sender knows it; of a primary its
   * term.
   */
  long segmentEpoch();

  /** The segment's, so that mutations, copies and operations of a segment keep their order. */
  @Override
  default int share() {
    return OperationId.share(segment());
  }

  /** Whether only the segment's primary sends it: whether it is a {@link FromPrimary}. */
  default boolean fromPrimary() {
    return false; // A call, since tests for several interfaces of a class contend in the JVM.
  }

  /** What only the segment's primary sends. */
  sealed interface FromPrimary extends SegmentMessage
      permits Replicate,
          Settled,
          InSync,
          HistoryRequest,
          BeginCopy,
          RepairMessage.Compare,
          RepairMessage.RepairRange {
    @Override
    default boolean fromPrimary() {
      return true;
    }
  }
}
