/**
 * Which node a key belongs to: the interface that all ways to tell have in common.
 *
 * <p>A locator is an immutable image of its nodes; one that has a node more or less is another
 * locator. Nodes are named by their places in its list. Look-ups of a key's node allocate nothing;
 * all are safe for any thread.
 */
@NullMarked
package dev.headrace.rebalance.placement.locator;

import org.jspecify.annotations.NullMarked;
