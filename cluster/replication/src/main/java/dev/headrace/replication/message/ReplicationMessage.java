package dev.headrace.replication.message;

import dev.headrace.stream.Message;

/** A message of callers, of the owners of segments, or of who repairs them. */
public sealed interface ReplicationMessage extends Message
    permits SegmentMessage,
        OperationReply,
        BulkRead,
        BulkReadReply,
        ChangesRead,
        ChangesReply,
        CopyOrder,
        CopyCancel,
        CopyStateReport,
        ResultsReceived,
        MemoryNotice,
        RepairMessage {

  /**
   * How long so many bytes of messages may be on their way, as by a network of 100 Mbit/s: what is
   * large is not sent again while it is still arriving.
   */
  static long wayNanos(long bytes) {
    return bytes / 1_000 * 100_000;
  }
}
