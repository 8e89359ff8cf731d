package dev.headrace.rebalance.message;

/** A message of the write protocol, from one node to another. */
public sealed interface Message
    permits Operation,
        OperationReply,
        BulkRead,
        BulkReadReply,
        Replicate,
        Replicated,
        Settled,
        HistoryRequest,
        History,
        TableNotice,
        FillOrder,
        FillCancel,
        FillReport,
        Chunk,
        Learned,
        Levelled,
        Progress,
        ResultsReceived,
        MemoryNotice,
        Probe,
        UsageNotice,
        RepairMessage {}
