/**
 * Placement: which nodes should own which segment.
 *
 * <p>Pure functions of the members and the cluster's settings: every node would compute the same,
 * and the same again. Here places are chosen freely: for clusters that hold no data, and as the aim
 * of plans where a placement leads them. Safe to call from any thread.
 */
@NullMarked
package dev.headrace.rebalance.placement;

import org.jspecify.annotations.NullMarked;
