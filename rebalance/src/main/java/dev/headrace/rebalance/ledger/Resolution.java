package dev.headrace.rebalance.ledger;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a convener decides for its view.
 *
 * @param table the next table, or null if the present one stays
 * @param recipients who gets the table
 * @param refusals who is not taken, and why
 */
record Resolution(
    @Nullable SegmentTable table, List<NodeId> recipients, Map<NodeId, String> refusals) {}
