/**
 * Planning: how the owners of segments change when nodes come, leave or crash.
 *
 * <p>{@link dev.headrace.rebalance.plan.Planner} turns a table into a {@link
 * dev.headrace.rebalance.plan.Plan}: the rows that shall be, and the moves that lead there. Unlike
 * placement it starts from what nodes hold, because a replica that changes its node is a copy. Pure
 * functions: equal inputs give equal plans, on every machine. Safe to call from any thread.
 *
 * <p>Invariants of a plan: no step lowers a segment's live replicas below what it should have or
 * had; its rows keep zones apart as far as the zones allow; replicas per node are the whole numbers
 * next to the node's fair share; no other plan that keeps to this copies less.
 */
@NullMarked
package dev.headrace.rebalance.plan;

import org.jspecify.annotations.NullMarked;
