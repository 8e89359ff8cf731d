/**
 * What a cluster may be seen to do: histories of keys, the order of their mutations, and streams as
 * multisets. Everything here only looks at results, never into a node.
 */
@NullMarked
package dev.headrace.cluster.node.simulation.oracle;

import org.jspecify.annotations.NullMarked;
