/**
 * Placement: which nodes should own which segment.
 *
 * <p>Pure functions of the members and the cluster's settings: every node would compute the same,
 * and the same again. Here places are chosen freely; that is right only as long as the cluster
 * holds no data. Safe to call from any thread.
 */
@NullMarked
package dev.headrace.rebalance.placement;

import org.jspecify.annotations.NullMarked;
