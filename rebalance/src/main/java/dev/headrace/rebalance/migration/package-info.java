/**
 * The coordinator's side of rebalancing: from a plan to a table in which every move has been made.
 *
 * <p><b>Purpose.</b> {@link dev.headrace.rebalance.migration.Rebalancer} plans whenever members
 * come, go or want to leave, has primaries copy segments to new owners, and commits complete copies
 * in batches; {@link dev.headrace.rebalance.migration.InFlightMoves} holds the copies that are
 * being made. What happens inside a segment meanwhile is the write protocol's matter ({@code
 * dev.headrace.replication.lane}); what a commit means is the agreement's.
 *
 * <p><b>Threading.</b> The rebalancer is a pure machine, driven by the same executor as the
 * agreement, one event at a time. It knows neither network nor clock.
 *
 * <p><b>Invariants.</b> A segment has at most one move under way. A commit is conditional on the
 * row that the move was planned from. A node moves segments only while it coordinates; the orders
 * of the next coordinator discard what a former one began.
 */
@NullMarked
package dev.headrace.rebalance.migration;

import org.jspecify.annotations.NullMarked;
