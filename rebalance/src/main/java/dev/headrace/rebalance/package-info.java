/**
 * Who owns which segment, and how that changes: segment table, placement, planner, migration,
 * deltas. It knows no network; it names ports that the cluster implements.
 */
@NullMarked
package dev.headrace.rebalance;

import org.jspecify.annotations.NullMarked;
