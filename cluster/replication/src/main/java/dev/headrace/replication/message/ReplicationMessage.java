package dev.headrace.replication.message;

import dev.headrace.stream.Message;

/** A message of callers, of the owners of segments, or of who repairs them. */
public sealed interface ReplicationMessage extends Message
    permits SegmentMessage,
        OperationReply,
        BulkRead,
        BulkReadReply,
        UsageNotice,
        CopyOrder,
        CopyCancel,
        CopyStateReport,
        ResultsReceived,
        MemoryNotice,
        Probe,
        CountCaches,
        CacheCounts,
        RepairMessage {}
