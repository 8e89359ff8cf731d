/**
 * Counts and sums of a cache's entries over HTTP: {@code /v1/caches/{name}/aggregate}.
 *
 * <p>{@link dev.headrace.http.aggregate.AggregateRoute} is the entrance. Nodes add up their own
 * entries; what a request makes this node hold is bounded by its groups.
 *
 * <p><b>Threading.</b> Nothing blocks; results come on the node's executor.
 */
@NullMarked
package dev.headrace.http.aggregate;

import org.jspecify.annotations.NullMarked;
