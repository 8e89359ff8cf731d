package dev.headrace.replication.message;

import dev.headrace.stream.Message;

/** A message of callers, of the owners of segments, or of who repairs them. */
public sealed interface ReplicationMessage extends Message
    permits Operation,
        OperationReply,
        BulkRead,
        BulkReadReply,
        Replicate,
        Replicated,
        Settled,
        UsageNotice,
        HistoryRequest,
        History,
        CopyOrder,
        CopyCancel,
        CopyStateReport,
        Chunk,
        Learned,
        InSync,
        ResultsReceived,
        MemoryNotice,
        Probe,
        CountCaches,
        CacheCounts,
        RepairMessage {}
