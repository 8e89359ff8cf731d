package dev.headrace.rebalance.message;

import dev.headrace.rebalance.table.SegmentTable;

/**
 * Tells a node that acted on an older table the newer one.
 *
 * @param table the sender's table
 */
public record TableNotice(SegmentTable table) implements Message {}
