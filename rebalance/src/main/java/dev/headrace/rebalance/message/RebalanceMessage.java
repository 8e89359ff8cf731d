package dev.headrace.rebalance.message;

import dev.headrace.stream.Message;

/** A message about tables and how far their changes are. */
public sealed interface RebalanceMessage extends Message
    permits TableNotice, RebalanceProgress, MovesNotice {}
