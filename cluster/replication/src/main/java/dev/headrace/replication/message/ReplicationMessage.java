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
        RepairMessage {}
