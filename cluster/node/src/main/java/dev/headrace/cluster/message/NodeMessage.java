package dev.headrace.cluster.message;

import dev.headrace.stream.Message;

/** A message of a node about itself and what it holds. */
public sealed interface NodeMessage extends Message
    permits Probe,
        UsageNotice,
        CountCaches,
        CacheCounts,
        MessageGroup,
        ForgetCache,
        CacheForgotten {}
